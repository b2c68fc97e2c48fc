// `npm run check` runs these checks: each operation has exactly one handler, every schema can be described, and operations stay short.
import { join } from 'node:path'
import { openApiDocument } from '../../libs/api/src/openapi.ts'
import { operations } from '../../libs/api/src/operations.ts'
import { handlers } from '../../services/public-api/src/operations/index.ts'
import { mostLines, operationLines } from './operation-lines.ts'

const problems: string[] = []
const served = new Map<string, number>()
for (const { operation } of handlers) served.set(operation.id, (served.get(operation.id) ?? 0) + 1)
const known = new Set(operations.map(({ id }) => id))
for (const { id, servedBy } of operations) {
  const count = served.get(id) ?? 0
  if (servedBy === 'public-api' && count !== 1)
    problems.push(`${id} has ${count} handlers; it must have one (services/public-api/src/operations).`)
  if (servedBy !== 'public-api' && count > 0) problems.push(`${id} has a handler, but its definition has servedBy: '${servedBy}'.`)
}
for (const id of served.keys()) if (!known.has(id)) problems.push(`${id} has a handler, but is not in libs/api/src/operations.ts.`)
for (const operation of operations) {
  try {
    openApiDocument([{ ...operation, servedBy: 'public-api' }], '0')
  } catch (error) {
    problems.push(`${operation.id} cannot be described: ${error instanceof Error ? error.message : String(error)}`)
  }
}
const { average, largest } = operationLines(join(import.meta.dirname, '../..'))
if (average > mostLines)
  problems.push(
    `An operation has ${average.toFixed(1)} lines on average, but at most ${mostLines} are allowed. The largest folders: ${largest
      .slice(0, 10)
      .map(([folder, lines]) => `${folder} ${lines}`)
      .join(', ')}.`,
  )

for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(
  `${operations.length} operations, ${served.size} of them served by the public API; ${average.toFixed(1)} lines of code each on average\n`,
)
process.exit(problems.length === 0 ? 0 : 1)
