// Meanings of keys that are not declared one by one: keys with a known prefix, and keys that match a pattern.

export const keyFlag = {
  /** A key that is not stored in `attributes.*`. */
  leaves: 1,
  /** The next two flags mark keys of the user's metadata: of the observation, and of the trace. */
  observationMetadata: 2,
  traceMetadata: 4,
  /** A parameter of the request to the model. */
  modelParameter: 8,
  /** Parts of a list or an object whose path is in the keys (see nested-rebuild.ts). */
  promptPart: 16,
  completionPart: 32,
  inputMessagePart: 64,
  outputMessagePart: 128,
  /** A count of tokens. */
  usage: 256,
  /** The key names or describes an experiment or its item. */
  experiment: 512,
  /** A key of the metadata of an experiment or its item. */
  experimentMetadata: 1024,
  experimentItemMetadata: 2048,
  /** A tool's definition. */
  tool: 4096,
  /** An embedding's vector or its source text, which are not stored unchanged. */
  embeddingVector: 8192,
  embeddingText: 16384,
  /** A model parameter that overrides the request's parameter of the same name. */
  invocationParameter: 32768,
  /** An amount of money. */
  money: 65536,
  /** A token count that only the Vercel AI SDK's own tracer sends. */
  vercelUsage: 131072,
  /** A key that contains the time of the first token. */
  firstToken: 262144,
  /** A key that can contain input or output. The key is removed from the metadata if the row shows its value. */
  content: 524288,
  /** The tier at which a call was served, and the tier that was requested. */
  servedTier: 1048576,
  askedTier: 2097152,
  /** A part of a tool's definition, with its path in the keys. */
  toolPart: 4194304,
  /** A part of a list of tool definitions, rebuilt like a list of messages. */
  toolListPart: 8388608,
  /** An amount of money whose key is only a word for money, such as `cost`. Such an amount is used only for a model call. */
  bareMoney: 16777216,
  /** The currency of the span's money. */
  currency: 33554432,
  /** The schema of a tool, whose name and description can be in other keys. */
  toolSchemaPart: 67108864,
  /** A part of the documents that a retrieval found, with its path in the keys. */
  documentPart: 134217728,
} as const

/** Flags of keys that can contain input or output. */
export const contentFlags =
  keyFlag.content | keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** Flags of keys whose meaning is found from the words of their names. */
export const usageFlags = keyFlag.usage | keyFlag.money | keyFlag.vercelUsage

export interface PrefixMeaning {
  readonly prefix: string
  readonly flags: number
  /** Keys that are below the prefix but have a different meaning. */
  readonly except?: readonly string[]
  /** For model parameters, another prefix. If the span has the same parameter below that prefix, its value overrides this one. */
  readonly overriddenBy?: string
}

interface PatternMeaning {
  readonly pattern: RegExp
  readonly flags: number
  /** For money, returns the part of the key that names the purpose of the amount. */
  readonly nameOf?: (key: string) => string
}

export interface Vocabulary {
  /** The order matters: if keys with different prefixes set the same name in the user's metadata, the earlier prefix wins. */
  readonly prefixes: readonly PrefixMeaning[]
  /** Patterns that are applied only to keys without one of the prefixes. */
  readonly patterns: readonly PatternMeaning[]
  /** Patterns that are applied to all keys, in addition to the keys' other meanings. */
  readonly also: readonly PatternMeaning[]
}
