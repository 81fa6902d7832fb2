//! The reader's personas, as SillyTavern's settings have them.

use serde_json::{Map, Value, json};

use crate::exchange::personas::MOST;

/// All that there are, in their order.
pub(super) struct Personas {
    list: Vec<Persona>,
    usual: Option<usize>,
    /// What the reader is called where a chat is bound to nobody.
    pub reader: String,
}

struct Persona {
    id: String,
    name: String,
    description: String,
    /// What its picture is called, whether there is one or not: the others speak of it by that.
    file: String,
    face: Option<usize>,
    rest: Map<String, Value>,
}

impl Personas {
    /// Out of the root of the database; `blob` finds pictures.
    pub fn of(root: &Map<String, Value>, blob: impl Fn(&str) -> Option<usize>) -> Self {
        let text =
            |of: &Map<String, Value>, field: &str| of.get(field).and_then(Value::as_str).unwrap_or_default().to_owned();
        let said = root.get("personas").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut said: Vec<Map<String, Value>> = said.into_iter().filter_map(|one| one.as_object().cloned()).collect();
        // Before there were several.
        if said.is_empty() && root.contains_key("username") {
            let fields = [("name", "username"), ("icon", "userIcon"), ("personaPrompt", "personaPrompt")];
            said.push(fields.map(|(field, own)| (field.to_owned(), text(root, own).into())).into_iter().collect());
        }
        let mut list: Vec<Persona> = Vec::new();
        // One more than may be is refused where they are read.
        for (at, mut rest) in said.into_iter().take(MOST + 1).enumerate() {
            let [id, name, icon, description] = ["id", "name", "icon", "personaPrompt"].map(|field| text(&rest, field));
            rest.retain(|field, _| !["name", "icon", "personaPrompt"].contains(&field.as_str()));
            let is_free = |file: &str| !file.is_empty() && list.iter().all(|other| other.file != file);
            let own = icon.rsplit(['/', '\\']).next().unwrap_or_default();
            let files = [own.to_owned(), format!("{id}.png"), format!("persona-{at}.png")];
            let file = files
                .into_iter()
                .find(|file| is_free(file) && file != ".png")
                .unwrap_or_else(|| format!("persona-{at}-.png"));
            list.push(Persona { id, name, description, file, face: blob(&icon), rest });
        }
        let usual =
            root.get("selectedPersona").and_then(Value::as_u64).map(|at| at as usize).filter(|at| *at < list.len());
        let reader = usual.map_or_else(|| text(root, "username"), |at| list[at].name.clone());
        Self { list, usual, reader }
    }

    /// Whom a chat is bound to.
    pub fn name(&self, id: &str) -> Option<&str> {
        self.list.iter().find(|persona| !id.is_empty() && persona.id == id).map(|persona| persona.name.as_str())
    }

    /// Settings with them, and with the books that hang everywhere; `None`: there is neither.
    pub fn settings(&self, everywhere: &[String]) -> Option<Value> {
        if self.list.is_empty() && everywhere.is_empty() {
            return None;
        }
        let (mut names, mut descriptions) = (Map::new(), Map::new());
        for persona in &self.list {
            names.insert(persona.file.clone(), persona.name.as_str().into());
            let mut about = json!({ "description": persona.description, "position": 0 });
            if !persona.rest.is_empty() {
                about["risuai"] = persona.rest.clone().into();
            }
            descriptions.insert(persona.file.clone(), about);
        }
        let usual = self.usual.map(|at| self.list[at].file.as_str());
        Some(json!({
            "power_user": { "personas": names, "persona_descriptions": descriptions, "default_persona": usual },
            "world_info_settings": { "world_info": { "globalSelect": everywhere } },
        }))
    }

    /// The pictures that there are, by what they are called.
    pub fn faces(&self) -> impl Iterator<Item = (&str, usize)> {
        self.list.iter().filter_map(|persona| Some((persona.file.as_str(), persona.face?)))
    }
}
