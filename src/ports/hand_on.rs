//! A store that does some operations in a way of its own, and hands on the others to the store that it stands before.

/// The named operations of a [`Store`](super::Store), done by the store in a field: `hand_on!(store: get get_many);`
macro_rules! hand_on {
    ($store:tt: $($operation:ident)+) => {
        $($crate::ports::hand_on!(@ $operation $store);)+
    };
    (@ get $store:tt) => {
        fn get<'a>(
            &'a self,
            table: $crate::store::Table,
            key: &'a str,
        ) -> $crate::ports::Future<'a, $crate::store::Stored<Option<$crate::store::Doc>>> {
            self.$store.get(table, key)
        }
    };
    (@ get_many $store:tt) => {
        fn get_many<'a>(
            &'a self,
            table: $crate::store::Table,
            keys: &'a [String],
        ) -> $crate::ports::Future<'a, $crate::store::Stored<Vec<$crate::store::Doc>>> {
            self.$store.get_many(table, keys)
        }
    };
    (@ query $store:tt) => {
        fn query(
            &self,
            query: $crate::store::Query,
        ) -> $crate::ports::Future<'_, $crate::store::Stored<Vec<$crate::store::Doc>>> {
            self.$store.query(query)
        }
    };
    (@ alone $store:tt) => {
        fn alone<'a>(
            &'a self,
            table: $crate::store::Table,
            key: &'a str,
        ) -> $crate::ports::Future<'a, $crate::store::Stored<std::rc::Rc<$crate::ports::Together>>> {
            self.$store.alone(table, key)
        }
    };
    (@ together $store:tt) => {
        fn together<'a>(
            &'a self,
            table: $crate::store::Table,
            storyline: &'a str,
        ) -> $crate::ports::Future<'a, $crate::store::Stored<std::rc::Rc<$crate::ports::Together>>> {
            self.$store.together(table, storyline)
        }
    };
    (@ keys $store:tt) => {
        fn keys(
            &self,
            query: $crate::store::Query,
        ) -> $crate::ports::Future<'_, $crate::store::Stored<Vec<String>>> {
            self.$store.keys(query)
        }
    };
    (@ count $store:tt) => {
        fn count(&self, query: $crate::store::Query) -> $crate::ports::Future<'_, $crate::store::Stored<u32>> {
            self.$store.count(query)
        }
    };
    (@ commit $store:tt) => {
        fn commit(&self, batch: $crate::store::Batch) -> $crate::ports::Future<'_, $crate::store::Stored<()>> {
            self.$store.commit(batch)
        }
    };
    (@ revise $store:tt) => {
        fn revise<'a>(
            &'a self,
            table: $crate::store::Table,
            key: &'a str,
            change: $crate::ports::Change<'a>,
        ) -> $crate::ports::Future<'a, $crate::store::Stored<()>> {
            self.$store.revise(table, key, change)
        }
    };
}
pub(crate) use hand_on;
