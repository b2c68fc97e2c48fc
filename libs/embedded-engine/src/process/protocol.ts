// What parent and child say to each other over the IPC channel.

export interface ChildOptions {
  readonly directory: string
  /** Empty; below `directory`. */
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
}

export type ToChild =
  /** Wants a `beat` back once the engine has answered. */
  | { readonly kind: 'beat' }
  | { readonly kind: 'start'; readonly options: ChildOptions }
  /** Running statements get `graceMs` to end. */
  | { readonly kind: 'stop'; readonly graceMs: number }

export type FromChild =
  | { readonly kind: 'ready'; readonly port: number; readonly version: string; readonly bootId: string }
  | { readonly kind: 'failed'; readonly reason: 'port' | 'platform' | 'engine'; readonly message: string }
  | { readonly kind: 'beat' }
  /** Something was thrown that nobody expected; the request got a 500. */
  | { readonly kind: 'defect'; readonly stack: string }
  /** The engine is closed; nothing is lost when the process ends now. */
  | { readonly kind: 'stopped'; readonly clean: boolean }
