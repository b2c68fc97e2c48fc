import { afterAll, beforeAll, test } from 'vitest'
import { crashAnywhere, journeys } from './crashes.ts'
import { type Engine, openEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
// Closing takes long, because the test has dropped several hundred databases.
afterAll(() => engine.close(), 600_000)

test.each(journeys)('the next run completes one that crashed before any statement: %s', name => crashAnywhere(engine, name, 1))
