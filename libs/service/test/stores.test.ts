import { expect, test } from 'vitest'
import { loadSettings, setting } from '../src/configuration/index.ts'
import { createStores, defineStore, type Replacements, replaced, type Store, storeSettings, storesOf } from '../src/definition/stores.ts'
import { createLogger } from '../src/logs/index.ts'

const tools = { logger: createLogger({ service: 'test', level: 'silent' }), process: 'test' }
const path = setting.text({ env: 'SVC_PATH', default: 'here', says: 'Where it is.' })

/** Defines a store that writes its events to `said`. */
function noted(name: string, needs: Readonly<Record<string, Store<string>>>, said: string[], fails: { close?: true; open?: true } = {}) {
  return defineStore({
    name,
    needs,
    variables: { path },
    open: async (config, below: Readonly<Record<string, string>>) => {
      said.push(`open ${name} on ${Object.values(below).join(', ')}`)
      if (fails.open) throw new Error(`${name} does not open`)
      return {
        store: `${name} ${config.path}`,
        async close() {
          said.push(`close ${name}`)
          if (fails.close) throw new Error(`${name} does not close`)
        },
      }
    },
  })
}

const open = (stores: readonly Store<unknown>[], replacements?: Replacements) =>
  createStores({ settings: loadSettings(storeSettings(stores), {}, { service: 'test' }), tools, ...(replacements && { replacements }) })

test('opens each store once, after its dependencies, and closes them in reverse order', async () => {
  const said: string[] = []
  const database = noted('database', {}, said)
  const keys = noted('keys', { database }, said)
  const stores = open(storesOf({ keys }))
  expect(stores.opened(database)).toBeUndefined()
  const [first, second] = await Promise.all([stores.openAll({ keys, database }), stores.open(keys)])
  expect([first, second, stores.opened(database)]).toEqual([{ keys: 'keys here', database: 'database here' }, 'keys here', 'database here'])
  await stores.close()
  await stores.close()
  expect(said).toEqual(['open database on ', 'open keys on database here', 'close keys', 'close database'])
})

test('a replacement opens wherever its original is needed', async () => {
  const said: string[] = []
  const server = noted('server', {}, said)
  const keys = noted('keys', { server }, said)
  const embedded = noted('embedded', {}, said)
  const replacements = new Map([replaced(server, embedded)])
  expect(storesOf({ keys }, replacements)).toEqual([embedded, keys])
  const stores = open(storesOf({ keys }, replacements), replacements)
  await stores.openAll({ keys, server })
  expect(said).toEqual(['open embedded on ', 'open keys on embedded here'])
})

test('does not close a store that failed to open, and closes all others when one fails to close', async () => {
  const said: string[] = []
  const below = noted('below', {}, said)
  const stuck = noted('stuck', { below }, said, { close: true })
  const broken = noted('broken', { stuck }, said, { open: true })
  const stores = open(storesOf({ broken }))
  await expect(stores.open(broken)).rejects.toThrow('broken does not open')
  await expect(stores.close()).rejects.toThrow('stuck does not close')
  expect(said.slice(-2)).toEqual(['close stuck', 'close below'])
})

test('passes the name of each store to `reach`', async () => {
  const said: string[] = []
  const store = noted('The event log', {}, said)
  const settings = loadSettings([store.variables], {}, { service: 'test' })
  const reach = <T>(name: string, work: () => Promise<T>) => {
    said.push(`reach ${name}`)
    return work()
  }
  await createStores({ settings, tools, reach }).open(store)
  expect(said).toEqual(['reach The event log', 'open The event log on '])
})
