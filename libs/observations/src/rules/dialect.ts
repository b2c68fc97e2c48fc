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

/** The smallest rank among all dialects is tried first. Ranks are unique. */
export type Ranked<T> = readonly [rank: number, rule: T]
type Rules<T> = readonly Ranked<T>[]

export type Level = 'DEBUG' | 'DEFAULT' | 'WARNING' | 'ERROR'

export interface Prompt {
  readonly name: string | undefined
  readonly version: number | undefined
}

/** Name and version in one attribute. */
export interface PromptCarrier {
  readonly name: string
  readonly attribute: string
  readonly key: number
  readonly read: (span: SpanView, entry: number) => Prompt
}

/** Composes the span's name. `write` returns false if the span has none of the attributes. */
export interface NameRule {
  readonly name: string
  readonly write: (into: Content, span: SpanView) => boolean
}

/** Subjects whose attributes are used unchanged. Each is a column, or a value from which a column is computed. */
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
  /** Marks a span with a parent as the root of its trace. No column shows this attribute. */
  | 'as_root'
  | 'name'
  | 'status_message'
  | 'provided_model_name'
  /** If a span without a type has an attribute of one of these five subjects, it is a generation. */
  | 'names_a_model'
  | 'prompt_name'
  | 'prompt_version'
  | 'usage_details'
  | 'cost_details'
  /** Carriers of user metadata: of the observation, of the trace, and of neither (the weakest). */
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
  /** Apply if no attribute contains the environment. */
  readonly environment?: Rules<Rule<string>>
  /** Apply if no attribute contains the name. */
  readonly names?: Rules<NameRule>
  /** One JSON value. */
  readonly modelParameters?: Rules<Rule<unknown>>
  /** Microseconds since the epoch. */
  readonly completionStart?: Rules<Rule<number>>
  readonly prompts?: Rules<PromptCarrier>
  readonly usage?: Rules<UsageRule>
  readonly cost?: Rules<AmountsRule>
  /** The tier at which a call was served, or requested. */
  readonly served?: Rules<TierRule>
  readonly asked?: Rules<TierRule>
  /** Definitions outside of the input. */
  readonly tools?: Rules<ToolSource>
  /** A span that repeats its children's usage, which must not be counted twice. */
  readonly repeats?: Rules<Condition>
}
