// A store as services ask for it: what it is called, its settings, what it stands on, and how it is opened.
// The stores themselves are in libs/stores; here is only their shape, so that a service can name what it
// needs.
import type { LoadedSettings } from '../configuration/load-settings.ts'
import type { Settings, ValuesOf } from '../configuration/setting.ts'
import type { Logger } from '../logs/logger.ts'

export interface StoreTools {
  readonly logger: Logger
  /** Told to servers: which process this is. */
  readonly process: string
}

export interface OpenedStore<T> {
  readonly store: T
  close?(): Promise<unknown>
}

/** By reference, so that asking for one says what is got, and a process loads only those that it asks for. */
export interface Store<T> {
  /** Begins sentences about it: "The event log". */
  readonly name: string
  readonly variables: Settings
  readonly needs: Needs
  /** What is wrong with its settings together, each being valid. */
  problems(settings: LoadedSettings): readonly string[]
  open(settings: LoadedSettings, needs: Readonly<Record<string, unknown>>, tools: StoreTools): Promise<OpenedStore<T>>
}

export type Needs = Readonly<Record<string, Store<unknown>>>
export type Opened<N extends Needs> = { readonly [K in keyof N]: N[K] extends Store<infer T> ? T : never }

export interface StoreDefinition<T, V extends Settings, N extends Needs> {
  readonly name: string
  readonly variables: V
  /** Opened before it and closed after it. */
  readonly needs?: N
  readonly validate?: (config: ValuesOf<V>) => readonly string[]
  /** Rejects with a retryable AppError when trying again may help. */
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
