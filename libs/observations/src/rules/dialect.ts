// A dialect has the rules for the attributes of one family of instrumentations. Each rule has a rank among the rules of all dialects.
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

/** The rule with the smallest rank among all dialects' rules for a subject is tried first. Ranks are unique. */
export type Ranked<T> = readonly [rank: number, rule: T]
type Rules<T> = readonly Ranked<T>[]

export type Level = 'DEBUG' | 'DEFAULT' | 'WARNING' | 'ERROR'

export interface Prompt {
  readonly name: string | undefined
  readonly version: number | undefined
}

/** Name and version of a prompt in one attribute. */
export interface PromptCarrier {
  readonly name: string
  readonly attribute: string
  readonly key: number
  readonly read: (span: SpanView, entry: number) => Prompt
}

/** Composes the span's name from several attributes. `write` returns false if the span has no such attribute. */
export interface NameRule {
  readonly name: string
  readonly write: (into: Content, span: SpanView) => boolean
}

/** Subjects whose attribute values are used unchanged. Each subject is a column, or a value from which a column is computed. */
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
  /** Marks a span as the root of its trace although the span has a parent. No column shows this attribute. */
  | 'as_root'
  | 'name'
  | 'status_message'
  | 'provided_model_name'
  /** A span without a type is a generation if it has an attribute of this subject or of the next four subjects. */
  | 'names_a_model'
  | 'prompt_name'
  | 'prompt_version'
  | 'usage_details'
  | 'cost_details'
  /** Carrier attributes of the user's metadata: of the observation, of the trace, and of neither (the weakest). */
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
  /** Rules for the environment that apply if no attribute contains the environment. */
  readonly environment?: Rules<Rule<string>>
  /** Rules for the span's name that apply if no attribute contains the name. */
  readonly names?: Rules<NameRule>
  /** One JSON value. */
  readonly modelParameters?: Rules<Rule<unknown>>
  /** Microseconds since the epoch. */
  readonly completionStart?: Rules<Rule<number>>
  readonly prompts?: Rules<PromptCarrier>
  readonly usage?: Rules<UsageRule>
  readonly cost?: Rules<AmountsRule>
  /** The tier at which a call was served or requested. */
  readonly served?: Rules<TierRule>
  readonly asked?: Rules<TierRule>
  /** Definitions of tools that are stored outside of the input. */
  readonly tools?: Rules<ToolSource>
  /** Detects a span that repeats the usage of its children, so that its usage is not counted twice. */
  readonly repeats?: Rules<Condition>
}
