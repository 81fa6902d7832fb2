//! What is said in the circle (seed `004`; F7): a post, who likes it, what is said to it, and who has looked at it.
//!
//! What a character remembers of the circle follows from here: what it posted, and what it looked at.

use serde::{Deserialize, Serialize};

use super::{
    Extra, Millis,
    ids::{BlobId, CharacterId, PostId},
};
use crate::store::record;

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Post {
    pub id: PostId,
    /// `None`: the reader.
    pub author: Option<CharacterId>,
    /// What they were called when they wrote it.
    pub name: String,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub picture: Option<BlobId>,
    /// The same at the size of the page, where it is itself larger.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thumbnail: Option<BlobId>,
    /// What is seen in it: models are told this.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub caption: String,
    pub likes: Vec<Like>,
    /// As they came.
    pub comments: Vec<Comment>,
    pub looks: Vec<Look>,
    pub created: Millis,
    pub updated: Millis,
    #[serde(flatten)]
    pub extra: Extra,
}
record!(Post, Posts);

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Like {
    /// `None`: the reader.
    pub who: Option<CharacterId>,
    pub name: String,
    pub at: Millis,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Comment {
    pub id: String,
    /// `None`: the reader.
    pub author: Option<CharacterId>,
    pub name: String,
    pub text: String,
    pub at: Millis,
    /// The comment that it answers; `None`: the post.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// That a character has looked at a post, whether it said anything or not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Look {
    pub who: CharacterId,
    /// What was there by then, it has seen.
    pub seen: Millis,
    /// How often it looked.
    pub times: u32,
    /// What it keeps of it, in its own words, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<String>,
    /// The reader has taken it out of what it remembers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub forgotten: bool,
}

impl Post {
    pub fn is_liked_by(&self, who: Option<&CharacterId>) -> bool {
        self.likes.iter().any(|like| like.who.as_ref() == who)
    }

    pub fn look(&self, who: &CharacterId) -> Option<&Look> {
        self.looks.iter().find(|look| look.who == *who)
    }

    pub fn comment(&self, id: &str) -> Option<&Comment> {
        self.comments.iter().find(|comment| comment.id == id)
    }

    /// Whether a comment is meant for somebody: it answers them, or their post.
    pub fn is_for(&self, comment: &Comment, who: &CharacterId) -> bool {
        let to = comment.to.as_deref().and_then(|id| self.comment(id)).map_or(&self.author, |to| &to.author);
        comment.author.as_ref() != Some(who) && to.as_ref() == Some(who)
    }

    /// When a character last did something here; `None`: only the reader did.
    pub fn stirred(&self) -> Option<Millis> {
        let post = self.author.is_some().then_some(self.created);
        let likes = self.likes.iter().filter(|like| like.who.is_some()).map(|like| like.at);
        let comments = self.comments.iter().filter(|comment| comment.author.is_some()).map(|comment| comment.at);
        post.into_iter().chain(likes).chain(comments).max()
    }

    /// Puts a deleted comment back where it stood, and the answers to it, by their ids.
    pub fn restore_comment(&mut self, comment: Comment, answers: &[String]) {
        if self.comment(&comment.id).is_some() {
            return;
        }
        for answer in self.comments.iter_mut().filter(|one| one.to.is_none() && answers.contains(&one.id)) {
            answer.to = Some(comment.id.clone());
        }
        let at = self.comments.partition_point(|one| one.at <= comment.at);
        self.comments.insert(at, comment);
    }

    /// Deletes a comment; what answers it answers the post from now on.
    pub fn delete_comment(&mut self, id: &str) {
        self.comments.retain(|comment| comment.id != id);
        for comment in self.comments.iter_mut().filter(|comment| comment.to.as_deref() == Some(id)) {
            comment.to = None;
        }
    }
}
