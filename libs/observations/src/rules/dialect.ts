// What a dialect is: how one family of instrumentations names its attributes, as rules for the columns, each
// with its rank among all dialects'.
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

/** Of the rules of all dialects about one thing the smallest rank is asked first. Two never have the same. */
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

/** A name that is made of several attributes. False: the span has none of them. */
export interface NameRule {
  readonly name: string
  readonly write: (into: Content, span: SpanView) => boolean
}

/** What attributes give as they are: columns, and what columns are made of. */
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
  /** A span that stands for its trace although it has a parent. No column shows it. */
  | 'as_root'
  | 'name'
  | 'status_message'
  | 'provided_model_name'
  /** That any of them is there makes a generation of a span that says nothing else. */
  | 'names_a_model'
  | 'prompt_name'
  | 'prompt_version'
  | 'usage_details'
  | 'cost_details'
  /** Carriers of the user's metadata: the observation's, the trace's, and those below both. */
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
  /** Where no attribute says it. */
  readonly environment?: Rules<Rule<string>>
  /** Where no attribute is the name. */
  readonly names?: Rules<NameRule>
  /** One JSON value. */
  readonly modelParameters?: Rules<Rule<unknown>>
  /** Microseconds since the epoch. */
  readonly completionStart?: Rules<Rule<number>>
  readonly prompts?: Rules<PromptCarrier>
  readonly usage?: Rules<UsageRule>
  readonly cost?: Rules<AmountsRule>
  /** At which tier a call was served, or asked to be. */
  readonly served?: Rules<TierRule>
  readonly asked?: Rules<TierRule>
  /** Definitions of tools beside the input. */
  readonly tools?: Rules<ToolSource>
  /** A span that repeats model and usage of its children: counting both would count twice. */
  readonly repeats?: Rules<Condition>
}
