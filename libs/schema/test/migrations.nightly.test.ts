import { afterAll, beforeAll, test } from 'vitest'
import { crashAnywhere, journeys } from './crashes.ts'
import { type Engine, openEngine } from './engine.ts'

let engine: Engine
beforeAll(async () => {
  engine = await openEngine()
})
afterAll(() => engine.close())

test.each(journeys)('a crash before each single statement is healed by the next run: %s', name => crashAnywhere(engine, name, 1))
