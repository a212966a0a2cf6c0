//! The files that the web UI is made of.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::Hasher;
use std::io;
use std::path::{Path, PathBuf};

/// What the build reads, besides `src` and `public`.
const FILES: [&str; 5] =
    ["index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts"];
const DIRS: [&str; 2] = ["src", "public"];

pub(crate) struct WebSources {
    root: PathBuf,
    /// Sorted, so that the same sources give the same stamp.
    files: Vec<PathBuf>,
}

impl WebSources {
    pub(crate) fn gather(root: &Path) -> io::Result<Self> {
        let root = root.canonicalize()?;
        let mut files: Vec<_> =
            FILES.iter().map(|name| root.join(name)).filter(|path| path.exists()).collect();
        for dir in DIRS.iter().map(|name| root.join(name)).filter(|path| path.exists()) {
            collect(&dir, &mut files)?;
        }
        files.sort();
        Ok(Self { root, files })
    }

    /// Directories too, so that cargo notices new files.
    pub(crate) fn files(&self) -> impl Iterator<Item = PathBuf> {
        let dirs = DIRS.iter().map(|name| self.root.join(name)).filter(|path| path.exists());
        self.files.iter().cloned().chain(dirs)
    }

    /// Names this state of the sources.
    pub(crate) fn stamp(&self) -> io::Result<String> {
        let mut hasher = DefaultHasher::new();
        for file in &self.files {
            hasher.write(self.relative(file).to_string_lossy().as_bytes());
            hasher.write(&fs::read(file)?);
        }
        Ok(format!("{:016x}", hasher.finish()))
    }

    /// Whether `dist` was built from these sources.
    pub(crate) fn is_built_in(&self, dist: &Path) -> bool {
        let found = fs::read_to_string(dist.join(".stamp"));
        found.is_ok_and(|found| self.stamp().is_ok_and(|stamp| stamp == found.trim()))
    }

    /// Copies the sources, so that nothing is written beside them.
    pub(crate) fn copy_to(&self, target: &Path) -> io::Result<()> {
        for dir in DIRS {
            match fs::remove_dir_all(target.join(dir)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        for file in &self.files {
            let copy = target.join(self.relative(file));
            if let Some(parent) = copy.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::copy(file, copy)?;
        }
        Ok(())
    }

    fn relative<'a>(&self, file: &'a Path) -> &'a Path {
        file.strip_prefix(&self.root).unwrap_or(file)
    }
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
