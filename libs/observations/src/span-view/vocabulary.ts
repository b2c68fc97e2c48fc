// Meanings of undeclared keys: keys with a known prefix, and keys that match a pattern.

export const keyFlag = {
  /** A key that is not stored in `attributes.*`. */
  leaves: 1,
  /** Each of the next two flags marks a key of the user's metadata, of the observation or of the trace. */
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
  /** A parameter of the invocation, which overrides the request's parameter with the same name. */
  invocationParameter: 32768,
  /** An amount of money. */
  money: 65536,
  /** A token count that only the Vercel AI SDK's own tracer sends. */
  vercelUsage: 131072,
  /** A key that contains the time of the first token. */
  firstToken: 262144,
  /** A key that can contain input or output. The key is removed from the metadata if the row shows the key's value. */
  content: 524288,
  /** The tier at which the provider served a call, and the tier that the client requested. */
  servedTier: 1048576,
  askedTier: 2097152,
  /** A part of a tool's definition, with its path in the keys. */
  toolPart: 4194304,
  /** A part of a list of tool definitions, which is rebuilt like a list of messages. */
  toolListPart: 8388608,
  /** An amount of money whose key is only a word for money, such as `cost`. A bare amount is used only on a model call. */
  bareMoney: 16777216,
  /** The currency of the span's money. */
  currency: 33554432,
  /** The schema of a tool whose name and description can be in other keys. */
  toolSchemaPart: 67108864,
  /** A part of the documents that a retrieval found, with its path in the keys. */
  documentPart: 134217728,
} as const

/** Flags of keys that can contain input or output. */
export const contentFlags =
  keyFlag.content | keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** Flags of keys whose meaning depends on the words in their names. */
export const usageFlags = keyFlag.usage | keyFlag.money | keyFlag.vercelUsage

export interface PrefixMeaning {
  readonly prefix: string
  readonly flags: number
  /** Keys that are below the prefix but have a different meaning. */
  readonly except?: readonly string[]
  /**
   * For model parameters, another prefix. A parameter below the other prefix overrides the parameter with the same name below this prefix.
   */
  readonly overriddenBy?: string
}

interface PatternMeaning {
  readonly pattern: RegExp
  readonly flags: number
  /** Returns the part of a money key that names the purpose of the amount. */
  readonly nameOf?: (key: string) => string
}

export interface Vocabulary {
  /** Order matters: if two prefixes give the same name in the user's metadata, the earlier prefix wins. */
  readonly prefixes: readonly PrefixMeaning[]
  /** Patterns that are applied only to keys without one of the prefixes. */
  readonly patterns: readonly PatternMeaning[]
  /** Patterns that are applied to every key, whatever its other meanings. */
  readonly also: readonly PatternMeaning[]
}
