//! What the agent has running in the background.

use contract::{BackgroundTask, CallId, TaskId};

use crate::event::TaskStarted;
use crate::line::{TaskField, Word};

#[derive(Debug)]
struct Task {
    shown: BackgroundTask,
    call_id: Option<CallId>,
    /// A command in the foreground becomes a task too, after a few seconds; it is no background work.
    is_background: bool,
}

/// Older agents tell single starts and ends, newer ones their whole list as well.
#[derive(Debug, Default)]
pub(crate) struct BackgroundTasks {
    tasks: Vec<Task>,
}

impl BackgroundTasks {
    pub(crate) fn start(&mut self, started: &TaskStarted<'_>) {
        let call_id = started.tool_use_id.given().map(CallId::from);
        let is_background = started.is_backgrounded.unwrap_or_default();
        if let Some(task) = self.find(&started.task_id) {
            task.call_id = call_id;
            task.is_background |= is_background;
            return;
        }
        let shown = show(&started.task_id, &started.task_type, &started.description);
        self.tasks.push(Task { shown, call_id, is_background });
    }

    pub(crate) fn end(&mut self, task_id: &str) {
        self.tasks.retain(|task| task.shown.task_id != *task_id);
    }

    /// A tool call was answered. A task of its that still runs then is what goes on in the background.
    pub(crate) fn note_result(&mut self, call_id: &str) {
        let of_call = |task: &&mut Task| task.call_id.as_ref().is_some_and(|id| *id == *call_id);
        self.tasks.iter_mut().filter(of_call).for_each(|task| task.is_background = true);
    }

    pub(crate) fn replace(&mut self, list: &[TaskField<'_>]) {
        let mut known = std::mem::take(&mut self.tasks);
        self.tasks = list
            .iter()
            .map(|field| {
                let index = known.iter().position(|task| task.shown.task_id == *field.task_id);
                let call_id = index.and_then(|index| known.swap_remove(index).call_id);
                let shown = show(&field.task_id, &field.task_type, &field.description);
                Task { shown, call_id, is_background: true }
            })
            .collect();
        // Foreground tasks are not in the list.
        self.tasks.extend(known.into_iter().filter(|task| !task.is_background));
    }

    pub(crate) fn clear(&mut self) {
        self.tasks.clear();
    }

    pub(crate) fn runs_call(&self, call_id: &CallId) -> bool {
        self.tasks.iter().any(|task| task.call_id.as_ref() == Some(call_id))
    }

    pub(crate) fn call_of(&self, task_id: &str) -> Option<CallId> {
        self.tasks.iter().find(|task| task.shown.task_id == *task_id)?.call_id.clone()
    }

    pub(crate) fn shown(&self) -> Vec<BackgroundTask> {
        let background = self.tasks.iter().filter(|task| task.is_background);
        background.map(|task| task.shown.clone()).collect()
    }

    fn find(&mut self, task_id: &str) -> Option<&mut Task> {
        self.tasks.iter_mut().find(|task| task.shown.task_id == *task_id)
    }
}

fn show(task_id: &Word<'_>, task_type: &Word<'_>, description: &Word<'_>) -> BackgroundTask {
    let kind = match task_type.as_str() {
        "local_bash" => "shell",
        "local_agent" => "subagent",
        other => other,
    };
    BackgroundTask {
        task_id: TaskId::from(task_id.as_str()),
        kind: kind.to_owned(),
        description: description.as_str().to_owned(),
    }
}
