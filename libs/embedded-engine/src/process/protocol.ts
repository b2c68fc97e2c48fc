// Messages between parent and child over the IPC channel.

export interface ChildOptions {
  readonly directory: string
  /** An empty folder, which is inside `directory`. */
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
  /** Requests a probe of the engine. The child sends `beat` when the engine has responded. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'start'; readonly options: ChildOptions }
  /** Gives running statements `graceMs` milliseconds to finish. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export type FromChild =
  | { readonly kind: 'ready'; readonly port: number; readonly version: string; readonly bootId: string }
  | { readonly kind: 'failed'; readonly reason: 'port' | 'platform' | 'engine'; readonly message: string }
  | { readonly kind: 'beat' }
  /** Reports an unexpected error. The request that caused the error got status 500. */
  | { readonly kind: 'defect'; readonly stack: string }
  /** Reports that the engine has closed its data, so that the process can end without loss. */
  | { readonly kind: 'stopped'; readonly clean: boolean }
