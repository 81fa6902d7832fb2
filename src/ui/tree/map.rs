//! The tree as SVG: dragged to pan, wheel, pinch and keys to zoom. What is out of sight is not in the page.

use leptos::{
    ev::{KeyboardEvent, PointerEvent, WheelEvent},
    prelude::*,
    svg,
};

use super::{
    Tree,
    place::Place,
    view::{Part, Sight},
};
use crate::{
    locales::tree::T as R,
    story::{
        layout::{Edge, LayoutNode, Way},
        tree::Head,
    },
    ui::icons::{Icon, Shape},
};

/// Pixels that a press may move and still be a click.
const SLIP: f64 = 4.0;
/// Below this scale the names and numbers would be too small to read.
const READABLE: f64 = 0.6;
const STEP: f64 = 1.25;
/// Lines drawn at a time before those that only cross the picture are left out: a fork that thousands leave would fill it.
const MOST: usize = 400;

/// Fingers and buttons that are down, and how far they have come.
#[derive(Default)]
struct Pressed {
    points: Vec<(i32, f64, f64)>,
    moved: f64,
}

#[component]
pub fn Map(tree: Tree) -> impl IntoView {
    let app = tree.app;
    let sight = RwSignal::new(Sight::default());
    let frame = NodeRef::<svg::Svg>::new();
    let pressed = StoredValue::new(Pressed::default());
    let measure = move || {
        let Some(frame) = frame.get_untracked() else { return };
        let rect = frame.get_bounding_client_rect();
        if rect.width() > 0.0 {
            sight.update(|sight| (sight.width, sight.height) = (rect.width(), rect.height()));
        }
    };
    let at = move |x: i32, y: i32| {
        let rect = frame.get_untracked().map(|frame| frame.get_bounding_client_rect());
        rect.map_or((0.0, 0.0), |rect| (f64::from(x) - rect.left(), f64::from(y) - rect.top()))
    };
    let resized = window_event_listener(leptos::ev::resize, move |_| measure());
    on_cleanup(move || resized.remove());

    // The picture follows the head and the place that is looked at.
    let show = move |at: &Head| {
        measure();
        if let Some((x, y)) = tree.layout.with_untracked(|layout| layout.spot(at)) {
            sight.update(|sight| *sight = sight.showing(x, y));
        }
    };
    Effect::new(move |_| {
        let head = tree.layout.with(|layout| layout.nodes.iter().find(|node| node.is_head).map(|node| node.at.clone()));
        if frame.get().is_some()
            && let Some(head) = head
        {
            show(&head);
        }
    });

    let zoom = move |factor: f64| sight.update(|sight| *sight = sight.zoomed(factor, sight.middle()));
    let on_wheel = move |event: WheelEvent| {
        event.prevent_default();
        let point = at(event.client_x(), event.client_y());
        sight.update(|sight| *sight = sight.zoomed((-event.delta_y() * 0.0015).exp(), point));
    };
    let on_down = move |event: PointerEvent| {
        measure();
        let (x, y) = at(event.client_x(), event.client_y());
        pressed.update_value(|pressed| {
            if pressed.points.is_empty() {
                pressed.moved = 0.0;
            }
            pressed.points.push((event.pointer_id(), x, y));
        });
    };
    let on_move = move |event: PointerEvent| {
        let (x, y) = at(event.client_x(), event.client_y());
        let mut change = None;
        pressed.update_value(|pressed| {
            let others: Vec<_> = pressed.points.iter().filter(|(id, ..)| *id != event.pointer_id()).copied().collect();
            let Some(own) = pressed.points.iter_mut().find(|(id, ..)| *id == event.pointer_id()) else { return };
            let (dx, dy) = (x - own.1, y - own.2);
            pressed.moved += dx.hypot(dy);
            change = Some(match others.first() {
                Some((_, ox, oy)) => {
                    let factor = (x - ox).hypot(y - oy) / (own.1 - ox).hypot(own.2 - oy).max(1.0);
                    (0.0, 0.0, factor, (*ox, *oy))
                }
                None => (dx, dy, 1.0, (x, y)),
            });
            (own.1, own.2) = (x, y);
        });
        let Some((dx, dy, factor, around)) = change else { return };
        if pressed.with_value(|pressed| pressed.moved > SLIP)
            && let Some(frame) = frame.get_untracked()
        {
            // A press that has become a drag goes on outside, and is no click.
            let _ = frame.set_pointer_capture(event.pointer_id());
        }
        sight.update(|sight| *sight = Sight { x: sight.x + dx, y: sight.y + dy, ..*sight }.zoomed(factor, around));
    };
    let on_up = move |event: PointerEvent| {
        pressed.update_value(|pressed| pressed.points.retain(|(id, ..)| *id != event.pointer_id()));
    };
    let is_drag = move || pressed.with_value(|pressed| pressed.moved > SLIP);
    let on_key = move |event: KeyboardEvent| {
        let way = match event.key().as_str() {
            "+" | "=" => return zoom(STEP),
            "-" => return zoom(1.0 / STEP),
            "ArrowUp" => Way::Up,
            "ArrowDown" => Way::Down,
            "ArrowLeft" => Way::Left,
            "ArrowRight" => Way::Right,
            "Home" => Way::First,
            "End" => Way::Last,
            _ => return,
        };
        event.prevent_default();
        let layout = tree.layout.get_untracked();
        let from = tree.focused.get_untracked().or_else(|| current(&layout.nodes, None));
        if let Some(to) = from.and_then(|from| layout.next(&from, way)) {
            show(&to);
            tree.selected.set(Some(to.clone()));
            tree.focused.set(Some(to));
        }
    };

    let tiles = Memo::new(move |_| sight.with(Sight::tiles));
    let stop = Memo::new(move |_| {
        tree.layout.with(|layout| tree.focused.with(|focused| current(&layout.nodes, focused.as_ref())))
    });
    let has_words = Memo::new(move |_| sight.with(|sight| sight.zoom >= READABLE));
    let edges = move || {
        let part = tiles.get();
        tree.layout.with(|layout| {
            let mut seen: Vec<&Edge> = layout.edges.iter().filter(|edge| is_seen(&part, edge)).collect();
            if seen.len() > MOST {
                seen.retain(|edge| {
                    edge.seen_to.is_some() || part.meets((edge.x, edge.top), (edge.x, edge.bottom.max(edge.top)))
                });
            }
            seen.into_iter().cloned().collect::<Vec<_>>()
        })
    };
    let nodes = move || {
        let part = tiles.get();
        tree.layout.with(|layout| {
            let near = layout.nodes.iter().filter(|node| part.meets((node.x, node.y), (node.x, node.y)));
            near.cloned().collect::<Vec<_>>()
        })
    };
    let numbers = move || {
        let part = tiles.get();
        if !has_words.get() {
            return Vec::new();
        }
        tree.layout.with(|layout| {
            layout.knots.iter().filter(|(_, y)| (part.top..=part.bottom).contains(y)).copied().collect::<Vec<_>>()
        })
    };
    let click = move |edge: &Edge, y: f64| {
        if is_drag() {
            return;
        }
        let (_, depth) = sight.with_untracked(|sight| sight.inward((0.0, y)));
        let at = tree.stored.with_untracked(|stored| {
            let branch = stored.alive.get(&edge.branch)?;
            let end = tree.layout.with_untracked(|layout| layout.end_at(depth));
            Some(Head {
                branch: edge.branch.clone(),
                end: end.clamp((branch.first + 1).min(branch.tip()), branch.tip()),
            })
        });
        tree.selected.set(at);
    };
    let pick = move || tree.selected.get().and_then(|at| tree.layout.with(|layout| layout.spot(&at)));
    view! {
        <div class="tree-map">
            <svg
                node_ref=frame
                role="tree"
                aria-label=app.t(R::Tree)
                data-testid="tree-map"
                on:wheel=on_wheel
                on:pointerdown=on_down
                on:pointermove=on_move
                on:pointerup=on_up
                on:pointercancel=on_up
                on:keydown=on_key
            >
                <g transform=move || sight.with(Sight::transform) class:far=move || !has_words.get()>
                    <For each=numbers key=|(end, y)| (*end, *y as i64) let:knot>
                        <text class="tree-number" x="-16" y=knot.1 + 3.5 aria-hidden="true">{knot.0.saturating_sub(1)}</text>
                    </For>
                    <For each=edges key=edge_key let:edge>
                        {
                            let (line, seen) = (course(&edge, edge.bottom), edge.seen_to.map(|to| course(&edge, to)));
                            let untold: String = edge.untold.iter().map(|(from, to)| format!("M{} {from}V{to}", edge.x)).collect();
                            view! {
                                <g aria-hidden="true">
                                    <path class="tree-edge" d=line.clone() />
                                    {seen.map(|seen| view! { <path class="tree-edge seen" d=seen /> })}
                                    {(!untold.is_empty()).then(|| view! { <path class="tree-untold" data-testid="tree-untold" d=untold /> })}
                                    <path class="tree-edge-touch" d=line on:click=move |event| click(&edge, at(event.client_x(), event.client_y()).1) />
                                </g>
                            }
                        }
                    </For>
                    {move || pick().map(|(x, y)| view! { <circle class="tree-pick" cx=x cy=y r="10" aria-hidden="true" /> })}
                    <For each=nodes key=node_key let:node>
                        <Place tree node stop has_words is_drag=Callback::new(move |()| is_drag()) />
                    </For>
                </g>
            </svg>
            <div class="tree-tools">
                <button class="icon-button" data-testid="tree-zoom-in" aria-label=app.t(R::ZoomIn) title=app.t(R::ZoomIn) on:click=move |_| zoom(STEP)>
                    <Icon shape=Shape::PLUS />
                </button>
                <button class="icon-button" data-testid="tree-zoom-out" aria-label=app.t(R::ZoomOut) title=app.t(R::ZoomOut) on:click=move |_| zoom(1.0 / STEP)>
                    <Icon shape=Shape::MINUS />
                </button>
                <button class="icon-button" data-testid="tree-here" aria-label=app.t(R::ToHere) title=app.t(R::ToHere)
                    on:click=move |_| if let Some(head) = tree.layout.with_untracked(|layout| current(&layout.nodes, None)) {
                        show(&head);
                        tree.selected.set(Some(head));
                    }>
                    <Icon shape=Shape::TARGET />
                </button>
            </div>
        </div>
    }
}

/// The one place that Tab leads to: the one that had the focus, or where the reader is.
fn current(nodes: &[LayoutNode], focused: Option<&Head>) -> Option<Head> {
    let had = focused.filter(|at| nodes.iter().any(|node| node.at == **at));
    had.or_else(|| nodes.iter().find(|node| node.is_head).map(|node| &node.at)).cloned()
}

fn is_seen(part: &Part, edge: &Edge) -> bool {
    let (x, y) = edge.from.unwrap_or((edge.x, edge.top));
    part.meets((x.min(edge.x), y.min(edge.top)), (x.max(edge.x), edge.bottom.max(edge.top)))
}

/// The line of a branch down to a depth.
fn course(edge: &Edge, to: f64) -> String {
    let (x, top) = (edge.x, edge.top);
    match edge.from {
        None => format!("M{x} {top}V{to}"),
        Some((fx, fy)) => {
            let middle = (fy + top) / 2.0;
            format!("M{fx} {fy}C{fx} {middle} {x} {middle} {x} {top}V{}", to.max(top))
        }
    }
}

fn edge_key(edge: &Edge) -> (String, String) {
    (
        edge.branch.0.clone(),
        format!("{:?}{:?}{}{}{}{:?}", edge.from, edge.seen_to, edge.x, edge.top, edge.bottom, edge.untold),
    )
}

fn node_key(node: &LayoutNode) -> String {
    format!("{node:?}")
}
