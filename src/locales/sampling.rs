//! Texts of sampling: its fields, and what of it is not sent.

use super::{Language, fill};
use crate::story::{
    sampling::{Effort, Parameter},
    warning::LeftOut,
};

/// The label of a parameter's field.
pub fn label(parameter: Parameter) -> T {
    match parameter {
        Parameter::Temperature => T::Temperature,
        Parameter::TopP => T::TopP,
        Parameter::TopK => T::TopK,
        Parameter::MinP => T::MinP,
        Parameter::FrequencyPenalty => T::FrequencyPenalty,
        Parameter::PresencePenalty => T::PresencePenalty,
        Parameter::RepetitionPenalty => T::RepetitionPenalty,
        Parameter::MaxTokens => T::MaxTokens,
        Parameter::Stop => T::StopTexts,
        Parameter::Seed => T::Seed,
        Parameter::LogitBias => T::LogitBias,
        Parameter::Effort => T::Effort,
        Parameter::Prefill => T::Prefill,
    }
}

/// The same without what is said of its values.
fn name(parameter: Parameter, language: Language) -> &'static str {
    let label = label(parameter).text(language);
    label.split(['(', '（']).next().unwrap_or(label).trim()
}

pub fn names(parameters: &[Parameter], language: Language) -> String {
    let names: Vec<_> = parameters.iter().map(|parameter| name(*parameter, language)).collect();
    names.join(language.pick("、", ", "))
}

pub fn effort(effort: Effort) -> T {
    match effort {
        Effort::Off => T::EffortOff,
        Effort::Low => T::EffortLow,
        Effort::Medium => T::EffortMedium,
        Effort::High => T::EffortHigh,
    }
}

/// What a reply's request went without, and why.
pub fn left_out_words(all: &[LeftOut], language: Language) -> String {
    let mut parameters: Vec<_> = all.iter().map(|left_out| left_out.parameter).collect();
    parameters.dedup();
    let words = all.first().map_or("", |left_out| left_out.words.as_str());
    fill(T::RefusedNow.text(language), &[&names(&parameters, language), words])
}

texts! {
    MoreSampling: "更多采样参数", "More sampling parameters";
    SamplingHint: "留空则由服务决定。", "What is left empty is the provider's choice.";
    PresetSamplers: "采样参数", "Sampling";
    PresetSamplersHint: "填了的，代替连接里的设定；空着就照连接的。服务或模型不认的不会发出，提示词面板里会写明。", "What is set here goes before the connection's own; what is empty is as the connection says. What a provider or its model does not take is not sent: the prompt's panel says so.";
    SamplersBroken: "采样参数里有的填得不对，没有保存。", "Something in the sampling is not as it must be: nothing was saved.";
    Temperature: "温度（0–2）", "Temperature (0–2)";
    TopP: "Top P（0–1）", "Top P (0–1)";
    TopK: "Top K", "Top K";
    MinP: "Min P（0–1）", "Min P (0–1)";
    FrequencyPenalty: "频率惩罚（-2–2）", "Frequency penalty (-2–2)";
    PresencePenalty: "存在惩罚（-2–2）", "Presence penalty (-2–2)";
    RepetitionPenalty: "重复惩罚（0–2，1 为不罚）", "Repetition penalty (0–2, 1 is none)";
    MaxTokens: "回复最多 tokens", "Longest reply, tokens";
    StopTexts: "停止词（每行一个）", "Stop texts (one a line)";
    Seed: "随机种子", "Seed";
    LogitBias: "词元偏置（每行一个：词元编号: 从 -100 到 100）", "Token bias (one a line: token id: -100 to 100)";
    LogitBiasHint: "编号属于这个模型自己的词表。-100 是绝不说，100 是只说它。", "Ids are those of the model's own vocabulary. -100 is never, 100 is nothing else.";
    LogitBiasBroken: "这一行不是“编号: 偏置”：{}", "This line is no “id: bias”: {}";
    Effort: "思考多少", "Thinking";
    EffortHint: "给会思考的模型。想的字数另算，不占回复的上限，但一样计费。", "For models that think. Its tokens come on top of the longest reply, and cost the same.";
    EffortNotSet: "不设", "Not set";
    EffortOff: "不思考", "Off";
    EffortLow: "少", "A little";
    EffortMedium: "中", "Some";
    EffortHigh: "多", "Much";
    Prefill: "替模型起的头", "First words of every reply";
    PrefillHint: "模型从这里接着写。可用 {{char}} 这样的宏。有的服务不接着写，就不会发出。", "The model goes on from there. Macros such as {{char}} work. Where a provider would begin anew, they are not sent.";
    Body: "附加字段（JSON）", "Fields of your own (JSON)";
    BodyHint: "照原样加进每次请求，用服务自己的名字；值为 null 则去掉那一项。", "Put into each request as they are, under the server's own names; null takes a field out.";
    BodyNotJson: "第 {} 行第 {} 列读不下去：这不是 JSON。", "This is no JSON: reading stops at line {}, column {}.";
    BodyNotObject: "应是一个 JSON 对象，如 {\"top_a\": 0.2}。", "Must be a JSON object, such as {\"top_a\": 0.2}.";
    NotTaken: "不会发出：{}。", "Not sent: {}.";
    NotTakenHint: "这个服务没有这一项，或这个模型拒绝过现在的值。换个值会再试。", "This provider has no such setting, or the model has refused the value that is set. Another value is tried again.";
    Adapted: "这个模型拒绝过通常的请求，现在按它接受的方式发送。", "The model has refused requests as they usually are; they are sent as it takes them.";
    TryAgain: "都再试一次", "Try all of it again";
    RefusedNow: "这个模型不接受：{}。已去掉再发，以后也不发这个值。服务的原话：{}", "The model does not take this: {}. It was left out, and this value is not sent again. In the provider's words: {}";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_have_names_without_their_ranges() {
        let all = names(&Parameter::ALL, Language::En);
        assert!(!all.contains('(') && all.starts_with("Temperature, Top P, Top K, Min P, Frequency penalty"), "{all}");
        let all = names(&Parameter::ALL, Language::Zh);
        assert!(
            !all.contains('（') && all.starts_with("温度、Top P") && all.contains("停止词、随机种子、词元偏置"),
            "{all}"
        );
    }
}
