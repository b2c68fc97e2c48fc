import { parseArgs } from 'node:util'
import type { WriteMode } from '@svc-server/modes/write-mode'
import { maxLines, type SdkLine, sdkLines } from '@svc-server/sdk-usage/lines'
import { type Command, UsageError } from '../command.ts'
import { formatAge, table } from '../table.ts'

const help = `svc sdks [--days N] [--projects] [--json]

List every SDK and version that sent data in any write mode, by the path of its requests: direct spans, staged spans, events and scores of the
legacy API (ingestion), scores of the scores API, and requests that the write mode refused. If the SDK is too old for
SVC_MIGRATION_V4_WRITE_MODE=events_only, the last column names the version to which it must be upgraded. In events_only, requests of such an SDK
are refused.

  --days N     list the last N days, including today (1 to 400; default 7)
  --projects   print a line per project
  --json       print JSON with the ids of up to 100 projects

Only requests that got a response are counted. A retried request is counted again. The newest counts are half a minute old.`

const dayMs = 86_400_000

/** In events_only, the server already refuses these SDKs. */
function movingText(number: number, writeMode: WriteMode): string {
  if (writeMode !== 'events_only') return `SDKs to upgrade before events_only: ${number === 0 ? 'none' : number}.`
  return number === 0 ? 'No SDK needs an upgrade.' : `SDKs to upgrade, because events_only refuses their requests: ${number}.`
}

interface Printing {
  readonly nowMs: number
  readonly byProject: boolean
  readonly writeMode: WriteMode
  readonly out: (line: string) => void
}

function print(lines: readonly SdkLine[], { nowMs, byProject, writeMode, out }: Printing): void {
  if (lines.length === 0) return out('No SDK sent data in this period.')
  const rows = lines.map(line => [
    line.sdk,
    line.version,
    line.path,
    line.spans,
    line.events,
    line.scores,
    line.requests,
    byProject ? line.projectIds[0] || '(many)' : line.projects,
    `${formatAge(nowMs - Date.parse(line.lastSeen))} ago`,
    line.move ?? '-',
  ])
  const project = byProject ? 'project' : 'projects'
  out(table(['sdk', 'version', 'path', 'spans', 'events', 'scores', 'requests', project, 'last seen', 'upgrade to'], rows))
  const moving = new Set(lines.filter(({ move }) => move !== null).map(({ sdk, version }) => JSON.stringify([sdk, version])))
  out(`\n${movingText(moving.size, writeMode)}`)
  if (lines.length === maxLines) out(`Only the first ${maxLines} lines are shown.`)
}

export const command: Command = {
  help,
  async run(args, { columnStore, writeMode, print: out }) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        days: { type: 'string', default: '7' },
        projects: { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    })
    const days = Number(values.days)
    if (!Number.isInteger(days) || days < 1 || days > 400) throw new UsageError(`--days ${values.days}: give a number from 1 to 400.`)
    const nowMs = Date.now()
    const since = new Date(nowMs - (days - 1) * dayMs).toISOString().slice(0, 10)
    const lines = await sdkLines(await columnStore(), since, values.projects)
    if (values.json) out(JSON.stringify({ since, sdks: lines }, null, 2))
    else print(lines, { nowMs, byProject: values.projects, writeMode, out })
  },
}
