//! What a person does in the circle: who takes part, what the reader posts, likes, says and deletes (`features::circle`).

use super::{Desk, Stored, library::with_pictures};
use crate::{
    exchange::picture::Picture,
    features::circle::{COMMENT, KEY, Member, POST, Standing},
    store::{Batch, Key, Query, Table},
    story::{
        LAST_MILLIS, Millis,
        blob::address,
        character::Character,
        clip,
        ids::{CharacterId, PostId},
        order,
        post::{Comment, Like, Look, Post},
        settings::Preferences,
    },
    turn::circle::{CHANGED, reader_name, since},
};

/// A picture of the reader's, as it is and, where that is larger than the page, at the page's size.
pub struct Shown {
    pub picture: Picture,
    pub thumbnail: Option<Picture>,
    /// What is seen in it.
    pub caption: String,
}

impl Desk {
    /// What was posted since a time, the newest first.
    ///
    /// # Errors
    /// The store failed; a post that cannot be read is left out.
    pub async fn posts(&self, from: Millis) -> Stored<Vec<Post>> {
        let mut posts = since(&*self.ports.store, from).await?;
        order::by_key(&mut posts, |post| std::cmp::Reverse((post.created, post.id.clone())));
        Ok(posts)
    }

    /// Whether there are older ones.
    ///
    /// # Errors
    /// The store failed.
    pub async fn has_posts_before(&self, at: Millis) -> Stored<bool> {
        let before = Query::between(Table::Posts, "created", Key::Number(0.0), Key::Number(at as f64 - 1.0));
        Ok(self.ports.store.count(Query { limit: Some(1), ..before }).await? > 0)
    }

    /// Posts in which characters did something that the reader has not seen.
    ///
    /// # Errors
    /// The store failed.
    pub async fn unread_posts(&self, read: Millis) -> Stored<usize> {
        let changed =
            Query::between(Table::Posts, "updated", Key::Number(read as f64), Key::Number(LAST_MILLIS as f64));
        let posts: Vec<Post> = self.ports.store.list(changed).await?;
        Ok(posts.iter().filter(|post| post.stirred().is_some_and(|at| at > read)).count())
    }

    /// A character takes part, as it stands by now; `None`: it does not any more. What it said stays.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn stand_in_circle(&self, id: &CharacterId, standing: Option<Standing>) -> Stored<()> {
        let now = self.ports.clock.now();
        let stand = |character: &mut Character| {
            match standing {
                Some(standing) => {
                    let member = Member::of(character).unwrap_or(Member { joined: now, ..Member::default() });
                    Member { standing, ..member }.keep(character);
                }
                None => drop(character.extra.shift_remove(KEY)),
            }
            character.updated = now;
        };
        self.amend_entry(id.as_str(), stand).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }

    async fn reader_called(&self) -> Stored<String> {
        let preferences: Preferences = self.ports.store.load(Preferences::ID).await?.unwrap_or_default();
        Ok(reader_name(&*self.ports.store, &preferences).await)
    }

    /// The reader posts. `None`: there is nothing in it.
    ///
    /// # Errors
    /// The store failed: nothing is posted.
    pub async fn post(&self, text: &str, shown: Option<Shown>) -> Stored<Option<PostId>> {
        let text = clip(text.trim(), POST);
        if text.is_empty() && shown.is_none() {
            return Ok(None);
        }
        let now = self.ports.clock.now();
        let mut post = Post {
            id: self.ports.id(),
            name: self.reader_called().await?,
            text,
            created: now,
            updated: now,
            ..Post::default()
        };
        let mut pictures = Vec::new();
        if let Some(Shown { picture, thumbnail, caption }) = shown {
            post.picture = Some(address(&picture.1));
            post.thumbnail = thumbnail.as_ref().map(|small| address(&small.1));
            post.caption = clip(caption.trim(), COMMENT);
            pictures = std::iter::once(picture).chain(thumbnail).collect();
        }
        self.ports.store.commit(with_pictures(pictures).put(&post)).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(Some(post.id))
    }

    async fn amend_post(&self, id: &PostId, change: impl FnOnce(&mut Post)) -> Stored<()> {
        let now = self.ports.clock.now();
        let change = |post: &mut Post| {
            change(post);
            post.updated = now;
        };
        self.ports.store.amend(id.as_str(), change).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }

    /// The reader says something to a post, or to a comment on it. False where there is nothing in it.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn comment(&self, id: &PostId, text: &str, to: Option<String>) -> Stored<bool> {
        let text = clip(text.trim(), COMMENT);
        if text.is_empty() {
            return Ok(false);
        }
        let (name, at) = (self.reader_called().await?, self.ports.clock.now());
        let said = Comment { id: self.ports.id(), author: None, name, text, at, to };
        self.amend_post(id, |post| post.comments.push(said)).await?;
        Ok(true)
    }

    /// The reader likes a post, or no longer does.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn like(&self, id: &PostId) -> Stored<()> {
        let (name, at) = (self.reader_called().await?, self.ports.clock.now());
        let flip = |post: &mut Post| match post.is_liked_by(None) {
            true => post.likes.retain(|like| like.who.is_some()),
            false => post.likes.push(Like { who: None, name, at }),
        };
        self.amend_post(id, flip).await
    }

    /// Deletes a comment, whoever made it.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn delete_comment(&self, id: &PostId, comment: &str) -> Stored<()> {
        self.amend_post(id, |post| post.delete_comment(comment)).await
    }

    /// Puts a deleted comment back as it was, with those that answered it.
    ///
    /// # Errors
    /// The store failed.
    pub async fn restore_comment(&self, id: &PostId, comment: Comment, answers: &[String]) -> Stored<()> {
        self.amend_post(id, |post| post.restore_comment(comment, answers)).await
    }

    /// A character forgets what it saw in a post, or remembers it again.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn forget_post(&self, id: &PostId, who: &CharacterId, forgotten: bool) -> Stored<()> {
        let change = |post: &mut Post| {
            match post.looks.iter_mut().find(|look| look.who == *who) {
                Some(look) => look.forgotten = forgotten,
                // What it posted itself it has not looked at.
                None => post.looks.push(Look { who: who.clone(), seen: post.created, forgotten, ..Look::default() }),
            }
        };
        self.amend_post(id, change).await
    }

    /// Deletes a post with all that was said to it: nobody remembers it.
    ///
    /// # Errors
    /// The store failed: it is as it was.
    pub async fn delete_post(&self, post: &Post) -> Stored<()> {
        self.ports.store.commit(Batch::new().remove(post)).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }

    /// Puts a deleted post back as it was.
    ///
    /// # Errors
    /// The store failed.
    pub async fn restore_post(&self, post: &Post) -> Stored<()> {
        self.ports.store.save(post).await?;
        self.ports.tabs.announce(CHANGED);
        Ok(())
    }
}
