// The definition of a store: its settings, the stores that it depends on, and how to open it. The stores themselves are in libs/stores, so
// that this library does not depend on them.
import type { LoadedSettings } from '../configuration/load-settings.ts'
import type { Settings, ValuesOf } from '../configuration/setting.ts'
import type { Logger } from '../logs/logger.ts'

export interface StoreTools {
  readonly logger: Logger
  /** Identifies this process to servers. */
  readonly process: string
}

export interface OpenedStore<T> {
  readonly store: T
  close?(): Promise<unknown>
}

/** A service imports the definition of each store that it uses. A process therefore loads only the stores that it needs. */
export interface Store<T> {
  /** The name at the beginning of sentences about the store, such as "The event log". */
  readonly name: string
  readonly variables: Settings
  readonly needs: Needs
  /** Returns sentences for the operator about settings that are valid individually, but conflict with each other. */
  problems(settings: LoadedSettings): readonly string[]
  open(settings: LoadedSettings, needs: Readonly<Record<string, unknown>>, tools: StoreTools): Promise<OpenedStore<T>>
}

export type Needs = Readonly<Record<string, Store<unknown>>>
export type Opened<N extends Needs> = { readonly [K in keyof N]: N[K] extends Store<infer T> ? T : never }

export interface StoreDefinition<T, V extends Settings, N extends Needs> {
  readonly name: string
  readonly variables: V
  /** Stores that this store uses. They open before this store, and close after this store. */
  readonly needs?: N
  readonly validate?: (config: ValuesOf<V>) => readonly string[]
  /** Rejects with a retryable AppError if retrying can help. */
  readonly open: (config: ValuesOf<V>, needs: Opened<N>, tools: StoreTools) => Promise<OpenedStore<T>>
}

export function defineStore<T, const V extends Settings, const N extends Needs = Readonly<Record<never, never>>>(
  definition: StoreDefinition<T, V, N>,
): Store<T> {
  const { name, variables, needs = {}, validate, open } = definition
  return {
    name,
    variables,
    needs,
    problems: settings => validate?.(settings.of(variables)) ?? [],
    open: (settings, opened, tools) => open(settings.of(variables), opened as Opened<N>, tools),
  }
}
