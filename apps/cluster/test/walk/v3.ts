// Creates rows as in the tables of a v3 installation, and sends the queries of v3.
import { expect } from 'vitest'
import type { TestCluster } from '../cluster.ts'

const project = 'default-project'
const day = 86_400_000
const text = (ms: number) => new Date(ms).toISOString().replace('T', ' ').slice(0, 23)

/**
 * Returns statements that insert one trace, one observation and one score per id into the tables of v3. The tables have schema version 37.
 * All rows were written yesterday.
 */
export function v3Statements(nowMs: number, ids: readonly string[] = ['v3']): readonly string[] {
  const at = `'${text(nowMs - day)}'`
  return ids.flatMap(id => [
    `INSERT INTO traces (id, project_id, name, user_id, timestamp, created_at, updated_at, event_ts)
     VALUES ('${id}-trace', '${project}', 'of v3', 'alice', ${at}, ${at}, ${at}, ${at})`,
    `INSERT INTO observations (id, trace_id, project_id, type, name, input, start_time, created_at, updated_at, event_ts)
     VALUES ('${id}-span', '${id}-trace', '${project}', 'SPAN', 'of v3', 'question', ${at}, ${at}, ${at}, ${at})`,
    `INSERT INTO scores (id, project_id, trace_id, name, value, source, data_type, timestamp, created_at, updated_at, event_ts)
     VALUES ('${id}-score', '${project}', '${id}-trace', 'of v3', 0.5, 'API', 'NUMERIC', ${at}, ${at}, ${at}, ${at})`,
  ])
}

export async function expectV3Reads({ query }: TestCluster, traceId: string, expected: object): Promise<void> {
  const [trace] =
    await query(`SELECT id, name, user_id, output, is_deleted FROM traces WHERE project_id = '${project}' AND id = '${traceId}'
     ORDER BY event_ts DESC LIMIT 1 BY id, project_id`)
  const observations =
    await query(`SELECT id, type, name, input, output FROM observations WHERE project_id = '${project}' AND trace_id = '${traceId}'
     ORDER BY event_ts DESC LIMIT 1 BY id, project_id`)
  const scores = await query(`SELECT id, name, value FROM scores FINAL WHERE project_id = '${project}' AND trace_id = '${traceId}'`)
  expect({ trace, observations, scores }).toMatchObject(expected)
}
