// Finds a span on the log, in the tables and in the dead letters.
import { parseArgs } from 'node:util'
import { AppError, counted } from '@svc-server/errors'
import { canaryProject } from '@svc-server/modes/names'
import { shippedModels } from '@svc-server/pricing/shipped-models'
import { deletionOfTrace } from '@svc-server/relational/deletions'
import { inProject } from '@svc-server/relational/tenancy'
import { brandAliasesOf } from '@svc-server/schema/brand'
import { type Origin, originOf } from '@svc-server/where/origin'
import { type WhereTrace, whereIsTrace } from '@svc-server/where/trace'
import { type Command, type CommandContext, UsageError } from '../command.ts'
import { table } from '../table.ts'

const help = `svc where TRACE [--project ID] [--json]
svc where --stored OBSERVATION [--trace TRACE] [--project ID] [--json] [--brand-aliases NAMES]

Locate the spans of a trace: on the log, in a window (with the time when it ends), stored, dead-lettered (with the reason), or deleted.

--stored ID      show the topic, partition and offset of the record from which an observation was stored. While the log retains the record, also
                 show the rule and the attributes that determine each column, with the rules and prices of this release
--trace ID       choose the trace if several have an observation with this id; default: the newest row
--project ID     required if there is more than one project
--json           print one JSON object
--brand-aliases  use these names as the services use SVC_BRAND_ALIASES`

const usualWindow = { windowMs: 180_000, graceMs: 2_000 }

async function projectOf(given: string | undefined, { keys }: CommandContext): Promise<string> {
  if (given !== undefined) return given
  const projects = (await (await keys()).listProjects()).map(({ id }) => id).filter(id => id !== canaryProject)
  if (projects.length === 1) return projects[0]!
  const named = projects.slice(0, 10).join(', ')
  throw new UsageError(projects.length === 0 ? 'there is no project yet.' : `name the project with --project ID, such as ${named}.`)
}

const time = (ms: number): string => new Date(ms).toISOString()

function describeTrace({ message, stored, onTheLog, inWindow, deadLetters, isWhole }: WhereTrace): string {
  const records = [...onTheLog.records, ...inWindow.records].map(({ topic, partition, offset, spans, appendedMs, untilMs }) => [
    `${topic}/${partition}/${offset}`,
    spans,
    time(appendedMs),
    untilMs === undefined ? '' : time(untilMs),
  ])
  const rows = deadLetters.map(({ id, atMs, reason, message: why }) => [id, time(atMs), reason, why.slice(0, 100)])
  return [
    message,
    `stored: ${counted(stored.observations, 'observation')}, ${counted(stored.roots, 'root')}${stored.newestMs === null ? '' : `, the newest accepted at ${time(stored.newestMs)}`}`,
    ...(records.length > 0 ? [table(['record', 'spans', 'accepted', 'window until'], records)] : []),
    ...(rows.length > 0 ? [table(['dead letter', 'at', 'reason', 'message'], rows)] : []),
    ...(isWhole ? [] : ['The search ran out of time, so the log may contain more spans.']),
  ].join('\n\n')
}

function describeOrigin({ place, traceId, storedMs, sdk, apiKey, columns, message }: Origin): string {
  const rows = Object.entries(columns ?? {})
    .filter(([, { rule }]) => rule !== null)
    .map(([name, { rule, attributes }]) => [name, rule ?? '', attributes.join(', ')])
  return [
    `trace ${traceId}, accepted at ${time(storedMs)} from ${sdk.name} ${sdk.version} with ${apiKey || 'no key'}`,
    place === null ? 'place: none' : `place: ${place.topic}, partition ${place.partition}, offset ${place.offset}, span ${place.index}`,
    message,
    ...(rows.length > 0 ? [table(['column', 'rule', 'attributes'], rows)] : []),
  ].join('\n')
}

async function trace(traceId: string, projectId: string, context: CommandContext): Promise<WhereTrace> {
  const { log, columnStore, relational, writeMode, windowTimes = usualWindow, signal } = context
  const deletedAt = async () => deletionOfTrace(inProject(await relational(), projectId), traceId)
  const stores = { log: await log(), columnStore: await columnStore() }
  return whereIsTrace({ ...stores, projectId, traceId, writeMode, ...windowTimes, deletedAt, signal, maxMs: 30_000, maxBytes: 1 << 30 })
}

export const command: Command = {
  help,
  async run(args, context) {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        stored: { type: 'string' },
        trace: { type: 'string' },
        project: { type: 'string' },
        json: { type: 'boolean', default: false },
        'brand-aliases': { type: 'string' },
      },
    })
    const { stored: observationId, json } = values
    if ((observationId === undefined) === (positionals.length === 0) || positionals.length > 1)
      throw new UsageError('give the id of one trace, or --stored with the id of an observation.')
    const projectId = await projectOf(values.project, context)
    if (observationId === undefined) {
      const found = await trace(positionals[0]!, projectId, context)
      return context.print(json ? JSON.stringify(found) : describeTrace(found))
    }
    const origin = await originOf({
      ...{ log: await context.log(), columnStore: await context.columnStore(), projectId, observationId, traceId: values.trace },
      catalog: async () => ({ models: shippedModels(), prompts: [] }),
      brandAliases: brandAliasesOf(values['brand-aliases']),
      signal: context.signal,
    })
    if (origin === undefined) throw new AppError('not_found', `No observation ${observationId} is stored in project ${projectId}.`)
    context.print(json ? JSON.stringify(origin) : describeOrigin(origin))
  },
}
