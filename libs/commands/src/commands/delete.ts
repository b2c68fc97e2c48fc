// Deletes traces and projects as the public API does, but without an API key.
import { parseArgs } from 'node:util'
import { createDeletionRequests } from '@svc-server/deletions/requests'
import { counted, verbFor } from '@svc-server/errors'
import { wasEverProject } from '@svc-server/relational/project-deletion'
import { instance } from '@svc-server/relational/tenancy'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { type RowCounts, readableRows, sayCounts, sumOf } from '../stored-rows.ts'

const help = `svc delete trace --project ID TRACE_ID... [--yes] [--json]
svc delete project ID [--yes] [--json]

Print which rows would be deleted. With --yes, delete them for good: reads hide them within seconds, and the tables lose them within minutes.
Data of the deleted traces or project that arrives later, from a client or from the log, is denied. svc deletions shows the progress.

trace: up to 1,000 traces of a project, with their observations, scores and run items.
project: everything of a project. This process refuses the project's keys immediately, and other processes within 30 seconds. The id of the
project is never used again. A deleted project can be deleted again, for example after a restore of the column store.

  --project ID  project of the traces
  --yes         delete; without it, only print
  --json        print JSON

docs/runbooks/deletion.md describes which data stays on the log and in backups, and for how long.`

const options = {
  project: { type: 'string' },
  yes: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>['values']

const maxTraces = 1_000
/** Maximum number of ids in one query. The ids are query parameters and thus part of a URL, whose length is limited. */
const idsOfAQuestion = 50

async function requestsOf({ relational, keys, log, writeMode }: CommandContext) {
  const opened = await log()
  return createDeletionRequests({
    relational: await relational(),
    keys: await keys(),
    append: (topic, records) => opened.append(topic, records),
    writeMode,
    clock: Date.now,
  })
}

interface Meant {
  readonly what: string
  readonly isOne: boolean
}

function say({ what, isOne }: Meant, counts: RowCounts, { yes, json }: Values, print: CommandContext['print'], more: object): void {
  if (json) return print(JSON.stringify({ ...more, rows: counts, done: yes }))
  const rows = sayCounts(counts)
  if (rows !== '') print(`${what}: ${rows} ${yes ? `${verbFor(sumOf(counts), 'is', 'are')} being deleted.` : 'would be deleted.'}`)
  else if (yes) print(`${what}: deleted; ${isOne ? 'it' : 'they'} had no readable rows.`)
  else print(`${what}: ${isOne ? 'it has' : 'they have'} no readable rows.`)
  if (!yes) print(`Nothing was deleted. Add --yes to delete ${isOne ? 'it' : 'them'}.`)
}

const unknownProject = (projectId: string) => new UsageError(`there is no project '${projectId}'. svc keys projects lists them.`)

async function requireProject(context: CommandContext, projectId: string): Promise<void> {
  const projects = await (await context.keys()).listProjects()
  if (projects.some(({ id }) => id === projectId)) return
  throw unknownProject(projectId)
}

async function deleteTraces(context: CommandContext, values: Values, traceIds: readonly string[]): Promise<void> {
  const projectId = values.project
  if (projectId === undefined) throw new UsageError('--project is missing.')
  if (traceIds.length === 0 || traceIds.length > maxTraces || traceIds.includes('')) {
    throw new UsageError(`give 1 to ${maxTraces.toLocaleString('en-US')} ids of traces.`)
  }
  await requireProject(context, projectId)
  const columnStore = await context.columnStore()
  const total = { events_full: 0, observations: 0, traces: 0, scores: 0, dataset_run_items_rmt: 0 }
  for (let at = 0; at < traceIds.length; at += idsOfAQuestion) {
    const counts = await readableRows(columnStore, projectId, traceIds.slice(at, at + idsOfAQuestion))
    for (const table of Object.keys(total) as (keyof RowCounts)[]) total[table] += counts[table]
  }
  if (values.yes) await (await requestsOf(context)).deleteTraces({ projectId, actor: 'operator', traceIds })
  const what = traceIds.length === 1 ? `Trace ${traceIds[0]}` : counted(traceIds.length, 'trace')
  say({ what, isOne: traceIds.length === 1 }, total, values, context.print, { projectId, traceIds })
}

async function deleteProject(context: CommandContext, values: Values, [projectId, ...rest]: readonly string[]): Promise<void> {
  if (projectId === undefined || rest.length > 0) throw new UsageError('give the id of one project.')
  if (values.project !== undefined) throw new UsageError('--project is allowed only with traces.')
  // Deleting a project again is allowed, because a restored backup can bring its rows back.
  if (!(await wasEverProject(instance(await context.relational()), projectId))) throw unknownProject(projectId)
  const counts = await readableRows(await context.columnStore(), projectId)
  if (values.yes) await (await requestsOf(context)).deleteProject({ projectId, actor: 'operator' })
  say({ what: `Project '${projectId}'`, isOne: true }, counts, values, context.print, { projectId })
}

export const command: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options })
    const [what, ...ids] = positionals
    if (what === 'trace') return deleteTraces(context, values, ids)
    if (what === 'project') return deleteProject(context, values, ids)
    throw new UsageError(`give trace or project${what === undefined ? '' : `, not '${what}'`}.`)
  },
}
