// A dialect has the rules for one family of instrumentations.
import type { Content } from '../span-view/content.ts'
import type { KeyDeclaration } from '../span-view/keys.ts'
import type { ObservationType } from '../span-view/observation-type.ts'
import type { SpanView } from '../span-view/span-view.ts'
import type { Vocabulary } from '../span-view/vocabulary.ts'
import type { AmountsRule } from './amounts-rule.ts'
import type { InputOutputRule } from './input-output-rule.ts'
import type { AttributeRule, Condition, Rule } from './rules.ts'
import type { TierRule } from './served-tier.ts'
import type { ToolSource } from './tool-source.ts'
import type { UsageRule } from './usage-rules.ts'

/** Of all dialects' rules, the one with the smallest rank is tried first. Ranks are unique. */
export type Ranked<T> = readonly [rank: number, rule: T]
type Rules<T> = readonly Ranked<T>[]

export type Level = 'DEBUG' | 'DEFAULT' | 'WARNING' | 'ERROR'

export interface Prompt {
  readonly name: string | undefined
  readonly version: number | undefined
}

export interface PromptCarrier {
  readonly name: string
  readonly attribute: string
  readonly key: number
  readonly read: (span: SpanView, entry: number) => Prompt
}

/** Composes the span's name. `write` returns false if the span has none of the attributes that supply the name. */
export interface NameRule {
  readonly name: string
  readonly write: (into: Content, span: SpanView) => boolean
}

/**
 * A subject is a column, or a value from which a column is computed. For each of these subjects, the mapping uses the value of an attribute
 * unchanged.
 */
export type AttributeSubject =
  | 'environment'
  | 'version'
  | 'release'
  | 'user_id'
  | 'session_id'
  | 'tags'
  | 'public'
  | 'trace_name'
  | 'is_app_root'
  /** The span counts as the root of its trace, although it has a parent. No column shows this attribute. */
  | 'as_root'
  | 'name'
  | 'status_message'
  | 'provided_model_name'
  /** Attributes that name a model. If no other rule finds the type of a span that has such an attribute, the span is a generation. */
  | 'names_a_model'
  | 'prompt_name'
  | 'prompt_version'
  | 'usage_details'
  | 'cost_details'
  /** Attributes that carry user metadata. `observation_metadata` and `trace_metadata` override `plain_metadata`. */
  | 'observation_metadata'
  | 'trace_metadata'
  | 'plain_metadata'
  | `experiment_${string}`

export interface Dialect {
  readonly name: string
  readonly keys: KeyDeclaration
  readonly vocabulary?: Partial<Vocabulary>
  readonly attributes?: { readonly [Subject in AttributeSubject]?: Rules<AttributeRule> }
  readonly type?: Rules<Rule<ObservationType>>
  readonly inputOutput?: Rules<InputOutputRule>
  readonly level?: Rules<Rule<Level>>
  /** Rules that determine the environment if no attribute contains it. */
  readonly environment?: Rules<Rule<string>>
  /** Rules that determine the observation's name if no attribute contains it. */
  readonly names?: Rules<NameRule>
  /** Each of these rules returns all model parameters as one JSON value. */
  readonly modelParameters?: Rules<Rule<unknown>>
  /** Microseconds since the epoch. */
  readonly completionStart?: Rules<Rule<number>>
  readonly prompts?: Rules<PromptCarrier>
  readonly usage?: Rules<UsageRule>
  readonly cost?: Rules<AmountsRule>
  readonly served?: Rules<TierRule>
  readonly asked?: Rules<TierRule>
  /** Sources of tool definitions outside of the input. */
  readonly tools?: Rules<ToolSource>
  /** Conditions that recognize a span whose usage repeats the usage of its children. This usage must not be counted twice. */
  readonly repeats?: Rules<Condition>
}
