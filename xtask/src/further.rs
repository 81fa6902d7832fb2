//! What journeys need beside Chromium: Firefox, the port of WebKit that runs on Linux, and servers to keep a library on.
//! Those journeys run where these are, or where apt brings them; elsewhere it is said that they are left out.

use std::path::PathBuf;

use crate::browser::{apt, candidates, named};
use crate::sh::{self, Result};
use crate::tools;

struct Program {
    name: &'static str,
    /// The variable that names it, here as in the journeys.
    variable: &'static str,
    programs: &'static [&'static str],
    places: &'static [&'static str],
    /// What else it needs on the path.
    needs: &'static [&'static str],
    packages: &'static [&'static str],
}

const APACHE: &str = "APACHE";
/// What speaks S3. It knows no CORS, so that it is of no use without Apache before it.
const S3: &str = "S3S_FS";

const ALL: &[Program] = &[
    Program {
        name: "Firefox",
        variable: "FIREFOX",
        programs: &["firefox-esr", "firefox"],
        places: &["/Applications/Firefox.app/Contents/MacOS/firefox", r"C:\Program Files\Mozilla Firefox\firefox.exe"],
        needs: &[],
        packages: &["firefox-esr"],
    },
    Program {
        name: "WebKit",
        variable: "WEBKIT_DRIVER",
        programs: &["WebKitWebDriver"],
        places: &[],
        needs: &["xvfb-run"],
        packages: &["webkit2gtk-driver", "xvfb", "xauth"],
    },
    Program {
        name: "Apache (WebDAV and S3)",
        variable: APACHE,
        programs: &["apache2"],
        // Not on the path of every user.
        places: &["/usr/sbin/apache2"],
        needs: &[],
        // The program alone: the package `apache2` would also start a server of this machine.
        packages: &["apache2-bin"],
    },
];

/// Those that are here, each with the variable that names it to the journeys.
pub struct Found {
    pub variables: Vec<(&'static str, PathBuf)>,
    pub missing: Vec<&'static str>,
}

/// Finds these programs, or installs them where apt can.
pub fn ready() -> Result<Found> {
    if ALL.iter().any(|program| matches!(program.find(), Ok(None))) && sh::which("apt-get").is_some() {
        let install = sh::step("install further engines and servers", || {
            apt(&["update"])?;
            ALL.iter().filter(|program| matches!(program.find(), Ok(None))).try_for_each(|program| {
                apt(&[&["install", "--yes", "--no-install-recommends"], program.packages].concat())
            })
        });
        // A system without these packages has all other tests.
        if let Err(why) = install {
            println!("    {why}");
        }
    }
    let mut found = Found { variables: Vec::new(), missing: Vec::new() };
    for program in ALL {
        match program.find()? {
            Some(path) => found.variables.push((program.variable, path)),
            None => found.missing.push(program.name),
        }
    }
    if found.variables.iter().any(|(variable, _)| *variable == APACHE) {
        let server = named(S3)?.map_or_else(tools::s3_server, Ok)?;
        found.variables.push((S3, server));
    }
    if !found.missing.is_empty() {
        println!("    left out, since they are not here: the journeys with {}", found.missing.join(" and "));
    }
    Ok(found)
}

impl Program {
    fn find(&self) -> Result<Option<PathBuf>> {
        if self.needs.iter().any(|program| sh::which(program).is_none()) {
            return Ok(None);
        }
        let path = named(self.variable)?;
        Ok(path.or_else(|| candidates(self.programs, self.places).into_iter().next()))
    }
}
