// Each test file has one engine. Each test has its own `world`, with its own log and column store. A test must therefore read `world` while
// it runs, not when the file is loaded.
import type { Engine } from '@svc-server/embedded-engine'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createWorld, startTestEngine, type World } from './world.ts'

export let engine: Engine
export let world: World

type Options = Parameters<typeof createWorld> extends [Engine, ...infer Rest] ? Rest : never

/** A test calls this function if its world needs options, or if it opens the world later. */
export async function openWorld(...options: Options): Promise<void> {
  world = await createWorld(engine, ...options)
}

/** Call this function once per test file, at the top level. If `opened` is `by the test`, each test calls `openWorld` itself. */
export function eachTestHasItsWorld(opened: 'before the test' | 'by the test' = 'before the test', ...options: Options): void {
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ engine, stop } = await startTestEngine())
  })
  afterAll(() => stop?.())
  if (opened === 'before the test') beforeEach(() => openWorld(...options))
  afterEach(() => world.close())
}
