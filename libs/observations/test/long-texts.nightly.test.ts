import { expect, test } from 'vitest'
import { knownKeys } from './known-keys.ts'
import { slowShapes } from './long-texts.ts'

const below = ['svc.observation.metadata.x', 'svc.trace.metadata.x', 'ai.telemetry.metadata.x', 'gen_ai.request.x', 'gen_ai.usage.x']
const placed = ['llm.tools.0.tool.json_schema', 'gen_ai.prompt.0.content', 'svc.experiment.metadata.x']

test.each([...new Set([...knownKeys, ...below, ...placed])])('%s', key => expect(slowShapes(key)).toEqual([]))
