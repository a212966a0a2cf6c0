//! Permission requests: from the agent's question to ours, and from the answer back to the agent's.

use contract::{
    CallId, OptionId, PermissionAnswer, PermissionId, PermissionOption, PermissionOptionKind,
    PermissionRequest, Question, QuestionOption, SessionId, Timestamp, ToolArguments,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::suggestions::Suggestion;

/// A question of the agent, and what answering it takes.
#[derive(Clone, Debug)]
pub struct Ask {
    pub request: PermissionRequest,
    pub reply: AskReply,
    pub(crate) is_of_subagent: bool,
}

/// Answers one question. Dropping it answers nothing.
#[derive(Clone, Debug)]
pub struct AskReply {
    request_id: String,
    input: ToolArguments,
    suggestions: Vec<Suggestion>,
}

#[derive(Deserialize)]
struct CanUseTool {
    subtype: String,
    #[serde(default)]
    tool_name: String,
    #[serde(default)]
    display_name: Option<String>,
    #[serde(default)]
    input: Map<String, Value>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    permission_suggestions: Option<Vec<Value>>,
    #[serde(default)]
    tool_use_id: Option<String>,
    #[serde(default)]
    agent_id: Option<String>,
}

const ALLOW: &str = "allow";
const ALLOW_ALWAYS: &str = "allow_always";
const DENY: &str = "deny";

impl Ask {
    /// `None` if the agent asks something that is not a permission.
    pub(crate) fn parse(
        request_id: &str,
        request: &str,
        session: &SessionId,
        now: Timestamp,
        plan: impl FnOnce() -> Option<String>,
    ) -> Option<Self> {
        let asked: CanUseTool = serde_json::from_str(request).ok()?;
        if asked.subtype != "can_use_tool" {
            return None;
        }
        let suggested = asked.permission_suggestions.unwrap_or_default().into_iter();
        let suggestions: Vec<_> = suggested.filter_map(Suggestion::parse).collect();
        let input = ToolArguments::from(asked.input);
        let questions = questions(&asked.tool_name, &input);
        let plan = match asked.tool_name.as_str() {
            "ExitPlanMode" => text_of(&input, "plan").or_else(plan),
            _ => None,
        };
        let options = options(&suggestions, questions.is_some(), asked.tool_name == "ExitPlanMode");
        let name = asked.display_name.unwrap_or_else(|| asked.tool_name.clone());
        let title = match asked.description.filter(|text| !text.is_empty()) {
            Some(description) => format!("{name}: {description}"),
            None => name,
        };
        let request = PermissionRequest {
            permission_id: PermissionId::from(request_id),
            session_id: session.clone(),
            turn_id: None,
            item_id: None,
            call_id: asked.tool_use_id.map(CallId::from),
            title,
            tool_name: Some(asked.tool_name),
            tool_arguments: Some(input.clone()),
            options,
            plan,
            questions,
            asked_at: now,
            resolved_at: None,
            outcome: None,
            option_id: None,
            answer: None,
            diff: None,
        };
        let reply = AskReply { request_id: request_id.to_owned(), input, suggestions };
        Some(Self { request, reply, is_of_subagent: asked.agent_id.is_some() })
    }
}

fn text_of(input: &ToolArguments, name: &str) -> Option<String> {
    input.as_map().get(name)?.as_str().map(str::to_owned)
}

fn questions(tool: &str, input: &ToolArguments) -> Option<Vec<Question>> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        question: String,
        header: Option<String>,
        #[serde(default)]
        options: Vec<QuestionOption>,
        #[serde(default)]
        multi_select: bool,
    }
    if tool != "AskUserQuestion" {
        return None;
    }
    let asked: Vec<Asked> =
        serde_json::from_value(input.as_map().get("questions")?.clone()).ok()?;
    let question = |asked: Asked| Question {
        question: asked.question,
        header: asked.header,
        options: asked.options,
        multi_select: asked.multi_select,
    };
    Some(asked.into_iter().map(question).collect())
}

fn options(suggestions: &[Suggestion], is_question: bool, is_plan: bool) -> Vec<PermissionOption> {
    let option = |id: &str, name: &str, kind| PermissionOption {
        option_id: OptionId::from(id),
        name: name.to_owned(),
        kind,
    };
    let (yes, no) = match (is_question, is_plan) {
        (true, _) => ("Answer", "Do not answer"),
        (false, true) => ("Approve the plan", "Keep planning"),
        (false, false) => ("Allow", "Deny"),
    };
    let mut options = vec![option(ALLOW, yes, PermissionOptionKind::AllowOnce)];
    if !suggestions.is_empty() {
        let words: Vec<_> = suggestions.iter().map(Suggestion::in_words).collect();
        let name = format!("Allow for this session: {}", words.join(", "));
        options.push(option(ALLOW_ALWAYS, &name, PermissionOptionKind::AllowAlways));
    }
    options.push(option(DENY, no, PermissionOptionKind::RejectOnce));
    options
}

impl AskReply {
    /// The line that answers. `None` means: deny, and interrupt the turn.
    pub fn line(&self, answer: Option<&PermissionAnswer>) -> String {
        let body = match answer {
            None => json!({
                "behavior": "deny", "message": "The user stopped the turn.", "interrupt": true,
            }),
            Some(answer) if self.allows(answer) => self.allow(answer),
            Some(answer) => {
                let message = answer.feedback.clone().filter(|text| !text.is_empty());
                let message = message.unwrap_or_else(|| "The user denied this.".to_owned());
                json!({ "behavior": "deny", "message": message, "interrupt": false })
            }
        };
        let response =
            json!({ "subtype": "success", "request_id": self.request_id, "response": body });
        json!({ "type": "control_response", "response": response }).to_string()
    }

    fn allows(&self, answer: &PermissionAnswer) -> bool {
        let chosen = answer.option_id.as_ref().map(OptionId::as_str);
        matches!(chosen, Some(ALLOW | ALLOW_ALWAYS))
    }

    /// The input always goes along: without it older agents deny what was allowed.
    fn allow(&self, answer: &PermissionAnswer) -> Value {
        let mut input = answer.updated_input.as_ref().unwrap_or(&self.input).as_map().clone();
        if let Some(answers) = &answer.answers {
            let answers: Map<String, Value> = answers
                .iter()
                .map(|(asked, said)| (asked.clone(), json!(said.join(", "))))
                .collect();
            input.insert("answers".to_owned(), Value::Object(answers));
        }
        let mut body = json!({ "behavior": "allow", "updatedInput": input });
        let is_always = answer.option_id.as_ref().is_some_and(|id| *id == ALLOW_ALWAYS);
        if is_always && let Some(members) = body.as_object_mut() {
            let granted: Vec<_> = self.suggestions.iter().map(Suggestion::for_session).collect();
            members.insert("updatedPermissions".to_owned(), json!(granted));
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(suggestions: &Value) -> Ask {
        let request = json!({
            "subtype": "can_use_tool", "tool_name": "Bash", "input": { "command": "make" },
            "permission_suggestions": suggestions,
        });
        let session = SessionId::from("session-1");
        let now = Timestamp::from_millis(0);
        Ask::parse("ask-1", &request.to_string(), &session, now, || None).expect("a question")
    }

    fn always(ask: &Ask) -> Option<&str> {
        let is_always = |option: &&PermissionOption| option.option_id == ALLOW_ALWAYS;
        ask.request.options.iter().find(is_always).map(|option| option.name.as_str())
    }

    #[test]
    fn s_28_only_what_was_offered_in_words_is_granted() {
        let rule = |tool: &str, behavior: &str| json!({ "type": "addRules", "rules": [{ "toolName": tool }], "behavior": behavior });
        let ask = asked(&json!([
            { "type": "grantEverything" },
            rule("Read", "allow"),
            rule("Bash", "ask"),
            { "type": "addRules", "rules": [{ "ruleContent": "*" }], "behavior": "allow" },
        ]));
        assert_eq!(always(&ask), Some("Allow for this session: Read"));
        let answer = PermissionAnswer {
            option_id: Some(ALLOW_ALWAYS.into()),
            ..PermissionAnswer::default()
        };
        let line: Value = serde_json::from_str(&ask.reply.line(Some(&answer))).expect("a line");
        let mut read = rule("Read", "allow");
        read["destination"] = json!("session");
        assert_eq!(line["response"]["response"]["updatedPermissions"], json!([read]));
    }

    #[test]
    fn s_28_without_words_for_any_of_it_nothing_is_offered_for_longer_than_once() {
        let ask =
            asked(&json!([{ "type": "grantEverything" }, { "type": "addRules", "rules": [] }]));
        assert_eq!(always(&ask), None);
        assert_eq!(ask.request.options.len(), 2, "to allow it once, and to deny it");
    }
}
