//! The engines beside Chromium: Firefox, and the port of WebKit that runs on Linux. Their journeys run where they are, or
//! where apt brings them; elsewhere it is said that they are left out.

use std::path::PathBuf;

use crate::browser::{apt, candidates, named};
use crate::sh::{self, Result};

pub struct Engine {
    name: &'static str,
    /// The variable that names it, here as in the journeys.
    variable: &'static str,
    programs: &'static [&'static str],
    places: &'static [&'static str],
    /// What else it needs on the path.
    needs: &'static [&'static str],
    packages: &'static [&'static str],
}

const ALL: &[Engine] = &[
    Engine {
        name: "Firefox",
        variable: "FIREFOX",
        programs: &["firefox-esr", "firefox"],
        places: &["/Applications/Firefox.app/Contents/MacOS/firefox", r"C:\Program Files\Mozilla Firefox\firefox.exe"],
        needs: &[],
        packages: &["firefox-esr"],
    },
    Engine {
        name: "WebKit",
        variable: "WEBKIT_DRIVER",
        programs: &["WebKitWebDriver"],
        places: &[],
        needs: &["xvfb-run"],
        packages: &["webkit2gtk-driver", "xvfb", "xauth"],
    },
];

/// Those that are here, each with the variable that names it to the journeys.
pub struct Found {
    pub variables: Vec<(&'static str, PathBuf)>,
    pub missing: Vec<&'static str>,
}

/// Finds the engines, or installs them where apt can.
pub fn ready() -> Result<Found> {
    if ALL.iter().any(|engine| matches!(engine.find(), Ok(None))) && sh::which("apt-get").is_some() {
        let install = sh::step("install further engines", || {
            apt(&["update"])?;
            ALL.iter().filter(|engine| matches!(engine.find(), Ok(None))).try_for_each(|engine| {
                apt(&[&["install", "--yes", "--no-install-recommends"], engine.packages].concat())
            })
        });
        // A system without these packages has all other tests.
        if let Err(why) = install {
            println!("    {why}");
        }
    }
    let mut found = Found { variables: Vec::new(), missing: Vec::new() };
    for engine in ALL {
        match engine.find()? {
            Some(path) => found.variables.push((engine.variable, path)),
            None => found.missing.push(engine.name),
        }
    }
    if !found.missing.is_empty() {
        println!("    left out, since they are not here: the journeys in {}", found.missing.join(" and "));
    }
    Ok(found)
}

impl Engine {
    fn find(&self) -> Result<Option<PathBuf>> {
        if self.needs.iter().any(|program| sh::which(program).is_none()) {
            return Ok(None);
        }
        let path = named(self.variable)?;
        Ok(path.or_else(|| candidates(self.programs, self.places).into_iter().next()))
    }
}
