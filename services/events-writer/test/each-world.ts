// One engine for the tests of a file, and a world on it for each of them. Both are bindings that change: a test reads
// `world` as it is when it runs.
import type { Engine } from '@svc-server/embedded-engine'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createWorld, startTestEngine, type World } from './world.ts'

export let engine: Engine
export let world: World

type Options = Parameters<typeof createWorld> extends [Engine, ...infer Rest] ? Rest : never

/** For a test that wants another world than the usual one, or none before it says so. */
export async function openWorld(...options: Options): Promise<void> {
  world = await createWorld(engine, ...options)
}

/** Once, at the head of a file. `opened` by the test: it calls `openWorld` itself. */
export function eachTestHasItsWorld(opened: 'before the test' | 'by the test' = 'before the test', ...options: Options): void {
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ engine, stop } = await startTestEngine())
  })
  afterAll(() => stop?.())
  if (opened === 'before the test') beforeEach(() => openWorld(...options))
  afterEach(() => world.close())
}
