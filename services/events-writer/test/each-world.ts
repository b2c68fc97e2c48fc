// One engine per test file, and a world per test. A test must therefore read `world` when it runs.
import type { Engine } from '@svc-server/embedded-engine'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createWorld, startTestEngine, type World } from './world.ts'

export let engine: Engine
export let world: World

type Options = Parameters<typeof createWorld> extends [Engine, ...infer Rest] ? Rest : never

/** Called by tests whose world needs options or is opened later. */
export async function openWorld(...options: Options): Promise<void> {
  world = await createWorld(engine, ...options)
}

/** Call this once per test file, at the top level. With `by the test`, the test calls `openWorld` itself. */
export function eachTestHasItsWorld(opened: 'before the test' | 'by the test' = 'before the test', ...options: Options): void {
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    ;({ engine, stop } = await startTestEngine())
  })
  afterAll(() => stop?.())
  if (opened === 'before the test') beforeEach(() => openWorld(...options))
  afterEach(() => world.close())
}
