//! Routes that cannot be added without being described.

use axum::Router;
use axum::handler::Handler;
use axum::http::Method;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{MethodFilter, on};

use super::described::Described;
use super::description::Description;
use super::refusals::Refusal;
use crate::error::ApiError;
use crate::guard;
use crate::state::AppState;

/// Routes and what is to be told of them.
pub(crate) struct ApiRoutes {
    tag: &'static str,
    router: Router<AppState>,
    operations: Vec<Operation>,
}

/// One method of one path.
#[derive(Debug)]
pub(crate) struct Operation {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) tag: &'static str,
    pub(super) about: About,
    pub(super) access: Access,
    pub(super) describe: fn(&mut Description<'_>),
}

/// Who may ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    Everyone,
    Credential,
    /// By the socket in the data directory only.
    Local,
}

/// What the types of a handler do not tell.
#[derive(Debug)]
pub(crate) struct About {
    pub(super) id: &'static str,
    pub(super) summary: &'static str,
    pub(super) refusals: Vec<Refusal>,
}

/// Names an operation and says in one line what it does.
pub(crate) fn about(id: &'static str, summary: &'static str) -> About {
    About { id, summary, refusals: Vec::new() }
}

impl About {
    /// Beyond what the guard and the reading of the request refuse.
    pub(crate) fn refuses(mut self, refusals: impl IntoIterator<Item = Refusal>) -> Self {
        self.refusals.extend(refusals);
        self
    }
}

impl ApiRoutes {
    /// All routes that are added to it belong to the `tag`.
    pub(crate) fn of(tag: &'static str) -> Self {
        Self { tag, router: Router::new(), operations: Vec::new() }
    }

    pub(crate) fn get<H, M, A>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<M, AppState> + Described<A>,
        M: 'static,
    {
        self.add(Method::GET, MethodFilter::GET, path, handler, about)
    }

    pub(crate) fn post<H, M, A>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<M, AppState> + Described<A>,
        M: 'static,
    {
        self.add(Method::POST, MethodFilter::POST, path, handler, about)
    }

    pub(crate) fn patch<H, M, A>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<M, AppState> + Described<A>,
        M: 'static,
    {
        self.add(Method::PATCH, MethodFilter::PATCH, path, handler, about)
    }

    pub(crate) fn delete<H, M, A>(self, path: &'static str, handler: H, about: About) -> Self
    where
        H: Handler<M, AppState> + Described<A>,
        M: 'static,
    {
        self.add(Method::DELETE, MethodFilter::DELETE, path, handler, about)
    }

    #[expect(clippy::disallowed_methods, reason = "the one place where it is described too")]
    fn add<H, M, A>(
        mut self,
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        handler: H,
        about: About,
    ) -> Self
    where
        H: Handler<M, AppState> + Described<A>,
        M: 'static,
    {
        let (tag, access, describe) = (self.tag, Access::Everyone, H::describe);
        self.router = self.router.route(path, on(filter, handler));
        self.operations.push(Operation { method, path, tag, about, access, describe });
        self
    }

    pub(crate) fn merge(mut self, other: Self) -> Self {
        self.router = self.router.merge(other.router);
        self.operations.extend(other.operations);
        self
    }

    /// Lets nobody in without a credential.
    pub(crate) fn with_credential(mut self, state: &AppState) -> Self {
        let guard = from_fn_with_state(state.clone(), guard::check_credential);
        self = self.and_no_other_methods();
        self.router = self.router.route_layer(guard);
        self.restricted_to(Access::Credential)
    }

    /// Lets nobody in who does not come by the socket in the data directory.
    pub(crate) fn by_local_socket(mut self) -> Self {
        self.router = self.router.route_layer(from_fn(guard::check_local));
        self.restricted_to(Access::Local)
    }

    /// Answers the other methods of the paths so far, unless they are answered already. What is laid around routes lies around
    /// this only if it was there before.
    pub(crate) fn and_no_other_methods(mut self) -> Self {
        let answer = || async { ApiError::method_not_allowed() };
        self.router = self.router.method_not_allowed_fallback(answer);
        self
    }

    fn restricted_to(mut self, access: Access) -> Self {
        let open = self.operations.iter_mut().filter(|known| known.access == Access::Everyone);
        open.for_each(|operation| operation.access = access);
        self
    }

    pub(crate) fn into_parts(self) -> (Router<AppState>, Vec<Operation>) {
        (self.router, self.operations)
    }
}
