// The definition of a store: its name, its settings, the stores that it depends on, and how to open it. The stores themselves are in
// libs/stores. Contains only the type, so that a service can list the stores that it needs.
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

/**
 * Services refer to a store by its definition. The definition determines the type of the opened store, and a process loads only the stores
 * that it needs.
 */
export interface Store<T> {
  /** Name of the store, such as "The event log". Sentences about the store begin with this name. */
  readonly name: string
  readonly variables: Settings
  readonly needs: Needs
  /** Returns sentences about valid settings that conflict. */
  problems(settings: LoadedSettings): readonly string[]
  open(settings: LoadedSettings, needs: Readonly<Record<string, unknown>>, tools: StoreTools): Promise<OpenedStore<T>>
}

export type Needs = Readonly<Record<string, Store<unknown>>>
export type Opened<N extends Needs> = { readonly [K in keyof N]: N[K] extends Store<infer T> ? T : never }

export interface StoreDefinition<T, V extends Settings, N extends Needs> {
  readonly name: string
  readonly variables: V
  /** Stores that open before this store and close after it. */
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
