//! How soon the kernel lets a thread run that others wait for.
//!
//! A thread that asks for short slices gets no more of the processor than before, but it gets it sooner: the kernel lets the one run
//! whose slice would end first. It needs no rights, and kernels that know nothing of it (Linux before 6.12, other systems) go on as
//! ever. This is the one crate with unsafe code: the call has no safe wrapper.

#[cfg(target_os = "linux")]
mod linux;

/// This thread runs often and for a short time, and somebody waits for it. Threads and programs that it starts have the usual slices.
#[cfg(target_os = "linux")]
pub fn ask_for_short_slices() -> std::io::Result<()> {
    linux::ask_for(linux::SHORT)
}

/// This thread runs often and for a short time, and somebody waits for it: nothing that can be said here.
#[cfg(not(target_os = "linux"))]
pub fn ask_for_short_slices() -> std::io::Result<()> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::ask_for_short_slices;
    use super::linux::{SHORT, slice};

    /// In a thread of its own, since it cannot be taken back.
    fn elsewhere<T: Send + 'static>(look: impl FnOnce() -> T + Send + 'static) -> T {
        std::thread::spawn(look).join().expect("the thread looks and ends")
    }

    #[test]
    fn who_asks_has_short_slices_and_who_is_started_from_there_the_usual_ones() {
        let usual = elsewhere(|| slice().expect("they can be asked for"));
        let (own, started) = elsewhere(|| {
            ask_for_short_slices().expect("nobody is refused");
            let own = slice().expect("they can be asked for");
            (own, elsewhere(|| slice().expect("they can be asked for")))
        });
        // A kernel that has no slices tells of none before and after.
        assert_eq!(own, usual.map(|_| SHORT));
        assert_eq!(started, usual);
    }

    #[test]
    fn asking_again_is_no_mistake() {
        elsewhere(|| {
            ask_for_short_slices().expect("nobody is refused");
            ask_for_short_slices().expect("nobody is refused twice");
        });
    }
}
