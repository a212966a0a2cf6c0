//! Reads the description of a handler from its types.

use super::description::Description;

/// What a handler may take: an extractor that says what it reads of a request.
pub(crate) trait Asks {
    fn describe(description: &mut Description<'_>);
}

/// What a handler may give: an answer that says what it is.
pub(crate) trait Answers {
    fn describe(description: &mut Description<'_>);
}

/// An error with a body of its own says so; `{code, message}` needs no words.
pub(crate) trait Refuses {
    fn describe(_: &mut Description<'_>) {}
}

impl<T: Answers, E: Refuses> Answers for Result<T, E> {
    fn describe(description: &mut Description<'_>) {
        T::describe(description);
        E::describe(description);
    }
}

/// A handler all of whose types say what they are. `Arguments` are those that it takes.
pub(crate) trait Described<Arguments> {
    fn describe(description: &mut Description<'_>);
}

macro_rules! described {
    ($($argument:ident)*) => {
        impl<F, Answer, Given, $($argument),*> Described<($($argument,)*)> for F
        where
            F: Fn($($argument),*) -> Answer,
            Answer: Future<Output = Given>,
            Given: Answers,
            $($argument: Asks),*
        {
            fn describe(description: &mut Description<'_>) {
                $($argument::describe(description);)*
                Given::describe(description);
            }
        }
    };
}

described!();
described!(A);
described!(A B);
described!(A B C);
described!(A B C D);
described!(A B C D E);
