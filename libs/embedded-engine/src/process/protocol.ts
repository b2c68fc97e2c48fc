// Messages between parent and child over the IPC channel.

export interface ChildOptions {
  readonly directory: string
  /** Empty, inside `directory`. */
  readonly workingDirectory: string
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
  readonly database: string
  readonly allowedHosts: readonly string[]
  readonly engineMemoryBytes: number
  readonly insertSlots: number
  readonly copySlots: number
  readonly readSlots: number
  readonly maxWaiting: number
  readonly maxWaitMs: number
  readonly maxInsertBytes: number
  readonly maxQueryBytes: number
  readonly isBehindParent: boolean
}

export type ToChild =
  /** Requests a probe. The child sends `beat` when the engine responds. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'start'; readonly options: ChildOptions }
  /** Running statements get `graceMs` to finish. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export type FromChild =
  | { readonly kind: 'ready'; readonly port: number; readonly version: string; readonly bootId: string }
  | { readonly kind: 'failed'; readonly reason: 'port' | 'platform' | 'engine'; readonly message: string }
  | { readonly kind: 'beat' }
  /** An unexpected error, whose request got status 500. */
  | { readonly kind: 'defect'; readonly stack: string }
  /** The engine has stopped. If `clean` is true, all statements ended in time, and the engine then closed its data. */
  | { readonly kind: 'stopped'; readonly clean: boolean }
