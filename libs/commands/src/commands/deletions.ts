import { parseArgs } from 'node:util'
import type { ColumnStore } from '@svc-server/column-store/port'
import { type NotedDeletion, readDeletions } from '@svc-server/relational/deletions'
import type { RelationalStore } from '@svc-server/relational/store'
import { instance } from '@svc-server/relational/tenancy'
import { type Command, UsageError } from '../command.ts'
import { readableRows, readableTraces, sumOf } from '../stored-rows.ts'
import { formatAge, table } from '../table.ts'

const help = `svc deletions [--all] [--project ID] [--limit N] [--json]

List unfinished deletions, oldest first, with the time of each request and its progress.

  pending      the deletion is accepted; reads still return the rows
  tombstoned   reads no longer return the rows; the tables still contain them
  done         the rows are deleted from the tables (shown with --all)

  --all         include finished deletions
  --project ID  list only deletions of one project
  --limit N     list at most N deletions (1 to 10,000; default 50)
  --json        print a line of JSON per deletion`

interface Line {
  readonly projectId: string
  /** Id of the deleted trace. Null if the whole project is deleted. */
  readonly traceId: string | null
  readonly state: 'pending' | 'tombstoned' | 'done'
  readonly requestedAt: string
  readonly updatedAt: string
}

const maxLines = 10_000
const idsOfAQuestion = 50

/** Returns the `limit` oldest deletions, and the number of all deletions. Only the returned deletions are kept in memory. */
async function oldest(relational: RelationalStore, wanted: Parameters<typeof readDeletions>[1], limit: number) {
  let found: NotedDeletion[] = []
  let total = 0
  for await (const batch of readDeletions(instance(relational), wanted)) {
    total += batch.length
    found = [...found, ...batch].sort((a, b) => a.firstNotedAt.getTime() - b.firstNotedAt.getTime()).slice(0, limit)
  }
  return { found, total }
}

/** Returns the deletions whose rows are still readable. The form of each is `project/trace`, or `project/` for a whole project. */
async function readable(columnStore: ColumnStore, deletions: readonly NotedDeletion[]): Promise<ReadonlySet<string>> {
  const keys = new Set<string>()
  for (const [projectId, ofProject] of Map.groupBy(deletions, each => each.projectId)) {
    const traceIds = ofProject.flatMap(({ traceId }) => (traceId === null ? [] : [traceId]))
    if (traceIds.length < ofProject.length && sumOf(await readableRows(columnStore, projectId)) > 0) keys.add(`${projectId}/`)
    for (let at = 0; at < traceIds.length; at += idsOfAQuestion) {
      const found = await readableTraces(columnStore, projectId, traceIds.slice(at, at + idsOfAQuestion))
      for (const traceId of found) keys.add(`${projectId}/${traceId}`)
    }
  }
  return keys
}

function lineOf({ projectId, traceId, isDone, firstNotedAt, updatedAt }: NotedDeletion, stillRead: ReadonlySet<string>): Line {
  const state = isDone ? 'done' : stillRead.has(`${projectId}/${traceId ?? ''}`) ? 'pending' : 'tombstoned'
  return { projectId, traceId, state, requestedAt: firstNotedAt.toISOString(), updatedAt: updatedAt.toISOString() }
}

export const command: Command = {
  help,
  async run(args, { relational, columnStore, print }) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        all: { type: 'boolean', default: false },
        project: { type: 'string' },
        limit: { type: 'string', default: '50' },
        json: { type: 'boolean', default: false },
      },
    })
    const limit = Number(values.limit)
    if (!Number.isInteger(limit) || limit < 1 || limit > maxLines) {
      throw new UsageError(`--limit ${values.limit}: give a number from 1 to ${maxLines.toLocaleString('en-US')}.`)
    }
    const wanted = { pendingOnly: !values.all, ...(values.project !== undefined && { projectId: values.project }) }
    const { found, total } = await oldest(await relational(), wanted, limit)
    const open = found.filter(({ isDone }) => !isDone)
    const stillRead = open.length === 0 ? new Set<string>() : await readable(await columnStore(), open)
    const lines = found.map(each => lineOf(each, stillRead))
    if (values.json) return lines.forEach(line => void print(JSON.stringify(line)))
    if (total === 0) return print(values.all ? 'Nothing was deleted.' : 'No deletion is in progress.')
    const rows = lines.map(line => [
      line.projectId,
      line.traceId ?? '(the project)',
      line.state,
      line.requestedAt.slice(0, 19).replace('T', ' '),
      `${formatAge(Date.now() - Date.parse(line.requestedAt))} ago`,
    ])
    print(table(['project', 'trace', 'state', 'asked for (UTC)', ''], rows))
    if (total > limit) print(`\nThe oldest ${limit} of ${total.toLocaleString('en-US')} are shown.`)
  },
}
