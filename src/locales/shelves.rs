//! Texts of what finds and orders the entries of a library.

use super::Language;
use crate::desk::shelves::Sort;

/// An order, as its choice is called.
pub fn sort(sort: Sort) -> T {
    match sort {
        Sort::Made => T::ByMaking,
        Sort::Changed => T::ByChange,
        Sort::Played => T::ByPlay,
        Sort::Name => T::ByName,
    }
}

texts! {
    Find: "查找名字、描述或标签", "Find by name, description or tag";
    Sort: "排序", "Order";
    ByMaking: "最近加入的在前", "Newest first";
    ByChange: "最近改过的在前", "Last changed first";
    ByPlay: "最近玩过的在前", "Last played first";
    ByName: "按名字", "By name";
    Tags: "标签", "Tags";
    AllTags: "所有标签", "All tags";
    Shown: "显示 {} 个，共 {} 个", "{} of {} shown";
    NoneShown: "没有找到。", "Nothing found.";
    ShowAll: "显示全部", "Show all";
    Favourite: "收藏：排在最前", "Favourite: stands first";
}
