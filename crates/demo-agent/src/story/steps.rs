//! A plan that is worked through step by step.

use agent_client_protocol::v1::schema::{
    Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, SessionUpdate,
};

#[derive(Debug)]
pub(crate) struct Steps {
    names: Vec<String>,
    begun: usize,
}

impl Steps {
    pub(crate) fn new(names: &[&str]) -> Self {
        Self { names: names.iter().map(|name| (*name).to_owned()).collect(), begun: 0 }
    }

    /// Ends the step that runs and begins the next one, or ends the plan.
    pub(crate) fn advance(&mut self) {
        self.begun += 1;
    }

    /// The whole plan as it stands.
    pub(crate) fn update(&self) -> SessionUpdate {
        let entries = self.names.iter().enumerate().map(|(at, name)| {
            let status = match at + 1 {
                number if number < self.begun => PlanEntryStatus::Completed,
                number if number == self.begun => PlanEntryStatus::InProgress,
                _ => PlanEntryStatus::Pending,
            };
            let priority =
                if at == 0 { PlanEntryPriority::High } else { PlanEntryPriority::Medium };
            PlanEntry::new(name.clone(), priority, status)
        });
        SessionUpdate::Plan(Plan::new(entries.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_step_runs_at_a_time_and_all_end() {
        let mut steps = Steps::new(&["a", "b"]);
        let mut stages = Vec::new();
        for _ in 0..4 {
            let plan = serde_json::to_value(steps.update()).unwrap();
            let status = |at: usize| plan["entries"][at]["status"].as_str().unwrap().to_owned();
            stages.push(format!("{} {}", status(0), status(1)));
            steps.advance();
        }
        let expected = [
            "pending pending",
            "in_progress pending",
            "completed in_progress",
            "completed completed",
        ];
        assert_eq!(stages, expected);
    }
}
