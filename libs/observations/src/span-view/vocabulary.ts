// Defines what undeclared keys mean. The meaning depends on the prefix of the key, or on a pattern that the key matches.

export const keyFlag = {
  /** Not stored in `attributes.*`. */
  leaves: 1,
  /** User metadata of the observation, and of the trace. */
  observationMetadata: 2,
  traceMetadata: 4,
  modelParameter: 8,
  /** Parts of a list or object, with the path in the key (see nested-rebuild.ts). */
  promptPart: 16,
  completionPart: 32,
  inputMessagePart: 64,
  outputMessagePart: 128,
  /** A count of tokens. */
  usage: 256,
  /** An experiment or its item: the id, the name or another property. */
  experiment: 512,
  /** Metadata of an experiment, and of its item. */
  experimentMetadata: 1024,
  experimentItemMetadata: 2048,
  /** A tool's definition. */
  tool: 4096,
  /** An embedding's vector, and its source text. */
  embeddingVector: 8192,
  embeddingText: 16384,
  /** A model parameter that overrides the request's parameter of the same name. */
  invocationParameter: 32768,
  /** An amount of money. */
  money: 65536,
  /** Only the Vercel AI SDK's own tracer sends this token count. */
  vercelUsage: 131072,
  firstToken: 262144,
  /** Keys of input or output. If the row shows the value of such a key, the key is removed from the metadata. */
  content: 524288,
  /** The service tier that the provider used, and the service tier that the client requested. */
  servedTier: 1048576,
  askedTier: 2097152,
  /** A key that contains a path into a tool's definition. The value is a part of the definition. */
  toolPart: 4194304,
  /** A part of a list of tool definitions. The list is rebuilt from its parts in the way that a list of messages is rebuilt. */
  toolListPart: 8388608,
  /** An amount of money whose key consists only of a word such as `cost`. The mapping uses such an amount only on model calls. */
  bareMoney: 16777216,
  currency: 33554432,
  /** The schema of a tool. The tool's name and description can be in other keys. */
  toolSchemaPart: 67108864,
  /** A key that contains a path into the retrieved documents. The value is a part of a document. */
  documentPart: 134217728,
} as const

export const contentFlags =
  keyFlag.content | keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** For a key with one of these flags, the words in the key's name determine what the value means. */
export const usageFlags = keyFlag.usage | keyFlag.money | keyFlag.vercelUsage

export interface PrefixMeaning {
  readonly prefix: string
  readonly flags: number
  /** Keys that begin with the prefix but have a different meaning. */
  readonly except?: readonly string[]
  /** A second prefix. If a span has the same model parameter below both prefixes, the parameter below the second prefix wins. */
  readonly overriddenBy?: string
}

interface PatternMeaning {
  readonly pattern: RegExp
  readonly flags: number
  /** Only for keys of amounts of money. Returns the part of the key that names what the money was spent on, such as the input. */
  readonly nameOf?: (key: string) => string
}

export interface Vocabulary {
  /** If two prefixes give the same name in the user's metadata, the earlier prefix wins. */
  readonly prefixes: readonly PrefixMeaning[]
  /** Patterns for keys that have none of the prefixes. */
  readonly patterns: readonly PatternMeaning[]
  /** These patterns are tested against every key, even against a key that already has another meaning. */
  readonly also: readonly PatternMeaning[]
}
