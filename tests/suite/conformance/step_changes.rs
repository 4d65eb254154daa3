//! What effects of the second system change in a step: its messages, tools, systems and variables, and reminders.

use std::sync::Arc;

use trimtab::conversation::{Message, Part, Role};
use trimtab::simulate::{FailingSummariser, Options, replay};
use trimtab::transcript::{Tool, Transcript};

use super::{assistant, call, ok, user};
use crate::laws;

/// A step as the model would see it.
struct Seen {
    messages: Vec<String>,
    tools: Vec<&'static str>,
}

impl Seen {
    fn system(&self) -> String {
        let system = self.messages.iter().take_while(|line| line.starts_with("system: "));
        system.map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    fn last(&self) -> &str {
        self.messages.last().expect("a message")
    }

    fn has(&self, part: &str) -> bool {
        self.messages.iter().any(|line| line.contains(part))
    }
}

const TOOLS: [&str; 3] = ["t1", "t2", "worker"];

/// The four steps of a run with these rules. The agent has three tools and a system prompt with two sections.
fn steps(rules: &str) -> Vec<Seen> {
    let mut messages =
        vec![Message::text(Role::System, "<role>\nHelp.\n</role>\n<extra>\nMore.\n</extra>"), user("Count to three.")];
    for step in 0..3 {
        let tool = if step == 0 { "t2" } else { "worker" };
        messages.extend([call(&format!("c{step}"), tool, "{}"), ok(&format!("c{step}"), &format!("value {step}"))]);
    }
    messages.push(assistant("Done."));
    let seen = replayed(rules, messages);
    assert_eq!(seen.len(), 4);
    seen
}

/// The steps of a recording with these rules.
fn replayed(rules: &str, messages: Vec<Message>) -> Vec<Seen> {
    let tools = TOOLS.map(|name| Tool { name: name.into(), description: None, schema: None }).to_vec();
    let transcript =
        Transcript { tools, messages: messages.into_iter().map(Arc::new).collect(), ..Transcript::default() };
    let plan = laws::plan(&format!("edition 2026 policy p {{ {rules} }}"));
    let mut seen = Vec::new();
    replay(&plan, &transcript, &Options::default(), &mut FailingSummariser, &mut |sent| {
        let text = |message: &Arc<Message>| format!("{}: {}", message.role.word(), message.plain_text());
        let messages = sent.messages().iter().map(text).collect();
        seen.push(Seen { messages, tools: TOOLS.into_iter().filter(|name| sent.views.offers_tool(name)).collect() });
    });
    seen
}

/// `step 1 messages push`
#[test]
fn a_message_of_a_step_is_its_last_and_gone_in_the_next() {
    let steps = steps("rule a { when iteration == 1 do inject \"Additional context\" for step }");
    assert!(!steps[0].has("Additional context"));
    assert_eq!(steps[1].last(), "user: Additional context");
    assert!(steps[1].has("Count to three."), "the messages of the conversation stay");
    assert!(!steps[2].has("Additional context"));
}

/// A message that is made after a reply belongs to the next step.
#[test]
fn a_message_made_on_a_reply_is_part_of_the_next_step() {
    let steps = steps("rule a { on reply when iteration == 1 do inject \"Additional context\" for step }");
    let with: Vec<bool> = steps.iter().map(|step| step.has("Additional context")).collect();
    assert_eq!(with, [false, false, true, false]);
}

/// `systems filter at step 1`
#[test]
fn a_section_is_hidden_for_a_step() {
    let steps = steps("rule a { when iteration == 1 do systems only [role] }");
    for (at, step) in steps.iter().enumerate() {
        assert!(step.system().contains("<role>\nHelp.\n</role>"));
        assert_eq!(step.system().contains("<extra>"), at != 1, "{at}");
    }
}

#[test]
fn a_prompt_without_any_section_left_is_not_sent() {
    let steps = steps("rule a { when iteration == 1 do systems hide [role, extra] }");
    assert_eq!(steps[1].system(), "");
    assert_eq!(steps[1].messages[0], "user: Count to three.");
}

/// `variables add at step 1`
#[test]
fn a_variable_of_a_step_stands_beside_those_of_the_run() {
    let rules = "rule a { when iteration == 0 do set NAME \"Alice\" for run }
                 rule b { when iteration == 1 do set EXTRA \"two\\nlines\" }";
    let steps = steps(rules);
    let with = |name: &str| steps.iter().map(|step| step.system().contains(name)).collect::<Vec<_>>();
    assert_eq!(with("<NAME>"), [true, true, true, true]);
    assert_eq!(with("<EXTRA>"), [false, true, false, false]);
    let block = "<variables>\n  <EXTRA>\n    two\n    lines\n  </EXTRA>\n  <NAME>\n    Alice\n  </NAME>\n</variables>";
    assert!(steps[1].system().ends_with(block), "{}", steps[1].system());
}

/// `disable variable at step 1`
#[test]
fn an_empty_text_hides_a_variable_for_a_step() {
    let rules = "rule a { when iteration == 0 do set NAME \"Alice\" for run then set AGE \"30\" for run }
                 rule b { when iteration == 1 do set NAME \"\" }";
    let steps = steps(rules);
    let with = |name: &str| steps.iter().map(|step| step.system().contains(name)).collect::<Vec<_>>();
    assert_eq!(with("<NAME>"), [true, false, true, true]);
    assert_eq!(with("<AGE>"), [true, true, true, true]);
}

/// `remind tool1 at step 1`
#[test]
fn a_reminder_is_a_message_of_one_step() {
    let steps = steps("rule a { when iteration == 1 do remind [t1] as assistant }");
    let text = "assistant: \n\n[Reminder: Remember to use the following items in your response:\n- t1 (tool)\n]";
    assert_eq!(steps[1].last(), text);
    assert!([0, 2, 3].iter().all(|at| !steps[*at].has("Reminder")));
}

/// The documented role is the assistant's, which some models reject at the end of a request.
#[test]
fn a_reminder_is_a_message_of_the_user_unless_the_policy_says_otherwise() {
    let steps = steps("rule a { when iteration == 1 do remind [t1] }");
    assert!(steps[1].last().starts_with("user: \n\n[Reminder: "));
}

/// `3 reminds`
#[test]
fn reminders_of_several_rules_are_one_list_without_repetition() {
    let rules = "rule v { do set mode \"x\" }
                 rule a { when iteration == 1 do remind [t1, extra] }
                 rule b { when iteration == 1 do remind [mode, t1] then remind [nothing] }";
    let lines = "- t1 (tool)\n- extra (system part)\n- mode (variable)\n]";
    assert!(steps(rules)[1].last().ends_with(lines));
}

#[test]
fn nothing_is_reminded_of_what_the_request_does_not_have() {
    let steps = steps("rule h { do tools hide [t1] } rule a { do remind [t1, nothing] }");
    assert!(steps.iter().all(|step| !step.has("Reminder")));
}

/// `disable tool1 at step 1`
#[test]
fn a_tool_is_hidden_for_a_step() {
    let steps = steps("rule a { when iteration == 1 do tools hide [t1] }");
    let tools: Vec<_> = steps.iter().map(|step| step.tools.clone()).collect();
    assert_eq!(tools, [&TOOLS[..], &["t2", "worker"], &TOOLS, &TOOLS]);
}

#[test]
fn a_choice_of_tools_for_the_run_lasts_until_it_is_changed() {
    let rules = "rule a { when iteration == 1 do tools only [t1, t2] for run }
                 rule b { when iteration == 3 do tools only [worker] for run }";
    let tools: Vec<_> = steps(rules).iter().map(|step| step.tools.clone()).collect();
    assert_eq!(tools, [&TOOLS[..], &["t1", "t2"], &["t1", "t2"], &["worker"]]);
}

/// There, a list of tools in a step overrides what is disabled in it.
#[test]
fn a_hidden_tool_stays_hidden_whatever_another_rule_lists() {
    let rules = "rule a { do tools hide [t1] } rule b { do tools only [t1, t2] } rule c { do tools hide [worker] }";
    assert!(steps(rules).iter().all(|step| step.tools == ["t2"]));
}

#[test]
fn an_empty_choice_hides_all_tools() {
    assert!(steps("rule a { do tools only [] }").iter().all(|step| step.tools.is_empty()));
}

/// `later-sees-earlier`: there, a later effect sees a change at the next step only.
#[test]
fn later_rules_see_what_earlier_ones_have_changed_in_the_same_step() {
    let rules = "rule early { when (var(value) ?? \"\") == \"100\" do notify \"too early\" }
                 rule first { when iteration == 1 do set value \"100\" then tools hide [t1] }
                 rule second { when (var(value) ?? \"\") == \"100\" and not has_tool(\"t1\") do inject \"seen\" for step }";
    let seen: Vec<bool> = steps(rules).iter().map(|step| step.last() == "user: seen").collect();
    assert_eq!(seen, [false, true, false, false]);
}

/// There, a list of systems overrides what is disabled in the same step.
#[test]
fn a_hidden_section_stays_hidden_whatever_another_rule_lists() {
    let rules = "rule a { do systems hide [role] } rule b { do systems only [role, extra] }";
    assert!(steps(rules).iter().all(|step| step.system() == "system: <extra>\nMore.\n</extra>"));
}

/// There, a variable that is added to a step in which another one is disabled is not shown.
#[test]
fn a_variable_is_shown_beside_one_that_is_taken_away() {
    let rules = "rule a { when iteration == 0 do set NAME \"Alice\" for run }
                 rule b { when iteration == 1 do set NAME \"\" then set EXTRA \"new\" }";
    let seen: Vec<_> = steps(rules).iter().map(|step| (step.has("<NAME>"), step.has("<EXTRA>"))).collect();
    assert_eq!(seen, [(true, false), (false, true), (true, false), (true, false)]);
}

/// Data variables are written as YAML there.
#[test]
fn data_is_a_text_in_a_variable() {
    let steps = steps("rule a { do set data \"count: 3\\nnames: [a, b]\" }");
    let block = "<variables>\n  <data>\n    count: 3\n    names: [a, b]\n  </data>\n</variables>";
    assert!(steps[0].system().ends_with(block), "{}", steps[0].system());
}

/// `getRemindedItems inside a later effect`
#[test]
fn a_later_rule_knows_that_an_earlier_one_has_reminded() {
    let rules = "rule a { when iteration == 1 do remind [t1, t2] }
                 rule b { when (since(a) ?? 1) == 0 do inject \"reminded\" for step }";
    let seen: Vec<bool> = steps(rules).iter().map(|step| step.has("user: reminded")).collect();
    assert_eq!(seen, [false, true, false, false]);
}

/// What the body of a prompt function disables or reminds of, it does at every step.
#[test]
fn a_rule_without_a_condition_changes_every_step() {
    let steps = steps("rule a { do tools hide [t1] then remind [t2] }");
    assert!(steps.iter().all(|step| step.tools == ["t2", "worker"] && step.last().contains("- t2 (tool)")));
}

/// `conditional disable with deps`: the trap that the choice lasts one step only, and what avoids it.
#[test]
fn a_choice_at_a_change_lasts_one_step_unless_it_is_for_the_run() {
    let hidden = |lifetime: &str| {
        let rules = format!("rule a {{ when changed(has_tool(\"t2\")) do tools hide [t1]{lifetime} }}");
        steps(&rules).iter().map(|step| !step.tools.contains(&"t1")).collect::<Vec<_>>()
    };
    assert_eq!(hidden(""), [true, false, false, false]);
    assert_eq!(hidden(" for run"), [true, true, true, true]);
}

/// `snapshot`: several changes over four steps.
#[test]
fn the_changes_of_four_steps_do_not_leak_into_each_other() {
    let rules = "rule data { when iteration >= 1 do set data \"1\" }
                 rule s0 { when iteration == 0 do tools hide [t1, worker] then remind [t2] then systems hide [role, extra] }
                 rule s1 { when iteration == 1 do remind [data] }
                 rule s2 { when iteration == 2 do tools hide [t2] then inject \"add message\" for step }";
    let steps = steps(rules);
    assert_eq!((steps[0].tools.clone(), steps[0].system()), (vec!["t2"], String::new()));
    assert!(steps[0].last().contains("- t2 (tool)"));
    assert_eq!(steps[1].tools, TOOLS);
    assert!(steps[1].last().contains("- data (variable)") && !steps[1].has("- t2 (tool)"));
    assert_eq!((steps[2].tools.clone(), steps[2].last()), (vec!["t1", "worker"], "user: add message"));
    assert_eq!(steps[3].tools, TOOLS);
    assert!(!steps[3].has("add message") && !steps[3].has("Reminder"));
}

/// There, the messages of a step replace a reminder of the same step.
#[test]
fn a_message_and_a_reminder_of_one_step_are_both_sent() {
    let steps = steps("rule a { when iteration == 1 do remind [t1] then inject \"Hello.\" for step }");
    assert!(steps[1].has("Hello.") && steps[1].last().contains("Reminder"));
}

/// `lastTool null at step 0; search args/output at step 1; calculate {sum: 8} at step 2`
#[test]
fn the_last_call_and_its_result_are_facts() {
    let last = "{call.name ?? \\\"none\\\"} {call.arguments ?? \\\"-\\\"} {result.text ?? \\\"-\\\"}";
    let steps = replayed(
        &format!("rule a {{ do inject \"{last}\" for step }}"),
        vec![
            user("What is 3 + 5?"),
            call("a", "search", "{\"query\":\"sum\"}"),
            ok("a", "found"),
            call("b", "calculate", "{\"a\":3,\"b\":5}"),
            ok("b", "{\"sum\":8}"),
            assistant("It is 8."),
            user("Thanks."),
            assistant("You are welcome."),
        ],
    );
    let seen: Vec<&str> = steps.iter().map(Seen::last).collect();
    let search = "user: search {\"query\":\"sum\"} found";
    let calculate = "user: calculate {\"a\":3,\"b\":5} {\"sum\":8}";
    assert_eq!(seen, ["user: none - -", search, calculate, calculate], "the last reply calls no tool");
}

/// A hidden tool is not offered, but a call of it in the conversation stays with its result.
#[test]
fn calls_of_a_hidden_tool_stay_in_the_conversation() {
    let steps = steps("rule a { do tools hide [worker, t2] for run }");
    assert!(steps.iter().all(|step| step.tools == ["t1"]));
    assert_eq!(steps[3].messages.len(), 8);
}

#[test]
fn a_step_without_parts_left_of_a_message_keeps_its_images() {
    let image = trimtab::conversation::Body::Image { media_type: "image/png".into(), bytes: 900, size: None };
    let mut prompt = Message::text(Role::System, "<role>x</role>");
    prompt.parts.push(Part::new(image));
    let mut conversation = trimtab::conversation::Conversation::default();
    conversation.push(prompt, &trimtab::model::TokenCounter::default());
    let mut views = trimtab::conversation::Views::default();
    let filter = trimtab::conversation::NameFilter { hidden: vec!["role".into()], only: None };
    views.add(trimtab::conversation::View::Sections(filter), trimtab::conversation::Lifetime::Request);
    let sent = views.request(&conversation);
    assert_eq!(sent.len(), 1);
    assert_eq!(sent[0].message().parts.len(), 1);
}

/// A variable of one step overwrites that of the run, which then returns.
#[test]
fn a_variable_of_a_step_replaces_that_of_the_run_for_the_step() {
    let rules = "rule a { when iteration == 0 do set NAME \"Alice\" for run }
                 rule b { when iteration == 1 do set NAME \"Bob\" }";
    let names = |step: &Seen| ["Alice", "Bob"].map(|name| step.system().contains(name));
    let alice = [true, false];
    assert_eq!(steps(rules).iter().map(names).collect::<Vec<_>>(), [alice, [false, true], alice, alice]);
}

/// There, the items of several effects add up.
#[test]
fn the_last_of_several_choices_counts_and_messages_add_up() {
    let tools = "rule a { do tools only [t1] } rule b { do tools only [t2] }";
    assert!(steps(tools).iter().all(|step| step.tools == ["t2"]));
    let systems = "rule a { do systems only [role] } rule b { do systems only [extra] }";
    assert!(steps(systems).iter().all(|step| step.system() == "system: <extra>\nMore.\n</extra>"));
    let messages = "rule a { when iteration == 1 do inject \"one\" for step }
                    rule b { when iteration == 1 do inject \"two\" for step }";
    assert!(steps(messages)[1].messages.ends_with(&["user: one".to_owned(), "user: two".to_owned()]));
}

#[test]
fn an_empty_choice_hides_all_sections() {
    let steps = steps("rule a { do systems only [] }");
    assert!(steps.iter().all(|step| step.messages[0] == "user: Count to three."));
}

/// A list of tools selects by name; it declares nothing.
#[test]
fn a_choice_of_an_unknown_tool_declares_none() {
    assert!(steps("rule a { do tools only [t1, unknown] }").iter().all(|step| step.tools == ["t1"]));
    let plan = trimtab::compile("p.trim", "edition 2026 policy p { rule a { do tools only [t1, unknown] } }");
    let mut session = trimtab::Session::new(&plan.plan(None).unwrap(), trimtab::Host::new());
    let tool = |name: &str| format!(r#"{{"name":"{name}","input_schema":{{}}}}"#);
    let body = |tools: &str| format!(r#"{{"tools":[{tools}],"messages":[{{"role":"user","content":"go"}}]}}"#);
    let both = body(&format!("{},{}", tool("t1"), tool("t2")));
    let Ok(trimtab::Next::Send(sent)) = session.before_request(trimtab::Dialect::Anthropic, &both, None) else {
        panic!("a request");
    };
    assert_eq!(sent.json, body(&tool("t1")));
}

/// A text refers to a variable by the tag of its block.
#[test]
fn a_text_names_a_variable_by_its_tag() {
    let steps = steps("rule a { do set NAME \"Alice\" then inject \"Greet <NAME>.\" for step }");
    assert!(steps.iter().all(|step| step.last() == "user: Greet <NAME>." && step.system().contains("<NAME>")));
}
