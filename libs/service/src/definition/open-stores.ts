// The stores of one process. The first use of a store opens its dependencies and then the store. Stores are closed in reverse order.
import type { LoadedSettings } from '../configuration/load-settings.ts'
import type { Settings } from '../configuration/setting.ts'
import type { Needs, Opened, OpenedStore, Store, StoreTools } from './define-store.ts'

/** Maps a store to the store that this program uses instead: an embedded store, or a store that is already open. */
export type Replacements = ReadonlyMap<Store<unknown>, Store<unknown>>

/** Creates an entry of `Replacements`. Both stores must have the same type. */
export const replaced = <T>(store: Store<T>, by: Store<T>): readonly [Store<unknown>, Store<unknown>] => [store, by]

export interface Stores {
  open<T>(store: Store<T>): Promise<T>
  openAll<N extends Needs>(needs: N): Promise<Opened<N>>
  /** Returns the store if it is open. */
  opened<T>(store: Store<T>): T | undefined
  /** Closes all stores, and then rejects with the first failure. */
  close(): Promise<void>
}

export interface StoresOptions {
  readonly settings: LoadedSettings
  readonly tools: StoreTools
  readonly replacements?: Replacements
  /** Opens a store, with a single attempt or with retries. Error messages begin with `name`. */
  readonly reach?: <T>(name: string, open: () => Promise<T>) => Promise<T>
}

/** Returns the stores and their dependencies in the order in which they must be opened. */
export function storesOf(needs: Needs, replacements: Replacements = new Map()): readonly Store<unknown>[] {
  const found = new Set<Store<unknown>>()
  const visit = (wanted: Store<unknown>) => {
    const store = replacements.get(wanted) ?? wanted
    for (const below of Object.values(store.needs)) visit(below)
    found.add(store)
  }
  for (const store of Object.values(needs)) visit(store)
  return [...found]
}

export const storeSettings = (stores: readonly Store<unknown>[]): readonly Settings[] => stores.map(({ variables }) => variables)

export const storeProblems = (stores: readonly Store<unknown>[], settings: LoadedSettings): readonly string[] =>
  stores.flatMap(store => store.problems(settings))

export function createStores({ settings, tools, replacements = new Map(), reach = (_, open) => open() }: StoresOptions): Stores {
  const opening = new Map<Store<unknown>, Promise<OpenedStore<unknown>>>()
  const here = new Map<Store<unknown>, unknown>()
  const order: Promise<OpenedStore<unknown>>[] = []

  async function begin(store: Store<unknown>): Promise<OpenedStore<unknown>> {
    const needs = await openAll(store.needs)
    const made = reach(store.name, () => store.open(settings, needs, tools))
    order.push(made)
    const opened = await made
    here.set(store, opened.store)
    return opened
  }

  async function open<T>(wanted: Store<T>): Promise<T> {
    const store = replacements.get(wanted) ?? wanted
    const begun = opening.get(store) ?? begin(store)
    opening.set(store, begun)
    return (await begun).store as T
  }

  async function openAll<N extends Needs>(needs: N): Promise<Opened<N>> {
    const opened: Record<string, unknown> = {}
    for (const [name, store] of Object.entries(needs)) opened[name] = await open(store)
    return opened as Opened<N>
  }

  return {
    open,
    openAll,
    opened: <T>(wanted: Store<T>) => here.get(replacements.get(wanted) ?? wanted) as T | undefined,
    async close() {
      const failures: unknown[] = []
      for (const made of order.splice(0).toReversed()) {
        // A store that failed to open is not closed.
        const opened = await made.catch(() => undefined)
        await opened?.close?.().catch((error: unknown) => failures.push(error))
      }
      if (failures.length > 0) throw failures[0]
    },
  }
}
