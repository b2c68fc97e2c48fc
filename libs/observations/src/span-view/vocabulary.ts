// What keys mean that no list can name: those below a prefix, and those of a pattern.

export const keyFlag = {
  /** Not part of `attributes.*`. */
  leaves: 1,
  /** A key below the observation's metadata, below the trace's, or both. */
  observationMetadata: 2,
  traceMetadata: 4,
  /** A request parameter of the model. */
  modelParameter: 8,
  /** Parts of a list or an object whose path is in the keys: see nested-rebuild.ts. */
  promptPart: 16,
  completionPart: 32,
  inputMessagePart: 64,
  outputMessagePart: 128,
  /** A count of tokens. */
  usage: 256,
  /** Names or describes an experiment or its item. */
  experiment: 512,
  /** Below the experiment's metadata, or below its item's. */
  experimentMetadata: 1024,
  experimentItemMetadata: 2048,
  /** A tool's definition. */
  tool: 4096,
  /** An embedding's vector, or the text it was made of: not stored as it came. */
  embeddingVector: 8192,
  embeddingText: 16384,
  /** A model parameter that wins over the request's of the same name. */
  invocationParameter: 32768,
  /** An amount of money. */
  money: 65536,
  /** A count of tokens that only the Vercel AI SDK's own tracer gives. */
  vercelUsage: 131072,
  /** Says when the first token came. */
  firstToken: 262144,
  /** May hold what went in or came out: it leaves the metadata where that is in the row. */
  content: 524288,
  /** The tier at which a call was served, and the one that was asked for. */
  servedTier: 1048576,
  askedTier: 2097152,
  /** A part of a tool's definition, whose path is in the keys. */
  toolPart: 4194304,
} as const

/** Of keys that may hold what went in or came out. */
export const contentFlags =
  keyFlag.content | keyFlag.promptPart | keyFlag.completionPart | keyFlag.inputMessagePart | keyFlag.outputMessagePart

/** Of keys whose names are read by their words. */
export const usageFlags = keyFlag.usage | keyFlag.money | keyFlag.vercelUsage

export interface PrefixMeaning {
  readonly prefix: string
  readonly flags: number
  /** Keys below the prefix that mean something else. */
  readonly except?: readonly string[]
  /** Of model parameters: the same name below this prefix wins. */
  readonly overriddenBy?: string
}

interface PatternMeaning {
  readonly pattern: RegExp
  readonly flags: number
  /** Of an amount of money: the part of the key that says what it is for. */
  readonly nameOf?: (key: string) => string
}

export interface Vocabulary {
  /** In order: of prefixes that carry the same name of the user's metadata, the earlier one wins. */
  readonly prefixes: readonly PrefixMeaning[]
  /** For keys without such a prefix. */
  readonly patterns: readonly PatternMeaning[]
  /** For all keys, whatever else they mean. */
  readonly also: readonly PatternMeaning[]
}
