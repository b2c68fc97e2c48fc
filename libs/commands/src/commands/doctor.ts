// Finds current and future problems of a deployment and suggests the next steps.
import { parseArgs } from 'node:util'
import { AppError, counted } from '@svc-server/errors'
import type { Command, CommandContext } from '../command.ts'
import { examineCertificates } from '../doctor/certificates.ts'
import { examineAccounts, examineColumnStore } from '../doctor/column-store.ts'
import { examineDataDirectory } from '../doctor/disk.ts'
import { examine, type Finding, worst } from '../doctor/finding.ts'
import { examineLog } from '../doctor/log.ts'
import { examineMigrations, phaseOf } from '../doctor/migration.ts'
import { examineBackfill, examineCanary, examineDeletions } from '../doctor/work.ts'

const help = `svc doctor [--json]

Check the disk of the data directory, the event log (topics, durability, lag, dead letters), the column store (version, clock, disk, durability,
grants), both schemas and their migrations, the ledger, the certificate (if SVC_TLS_CERT_FILE is set), the canary, deletions, the backfill, and the
progress of a migration from v3; then suggest what to do next. The doctor changes nothing. If a variable is invalid, the doctor reports it and checks nothing.

  --json   print JSON

Exit code 0: healthy, possibly with warnings. 1: an operator must act.`

async function oldRows({ columnStore }: Pick<CommandContext, 'columnStore'>): Promise<boolean> {
  const rows = await (await columnStore()).query<{ n: string }>(
    `SELECT toString(sum(total_rows)) AS n FROM system.tables WHERE database = currentDatabase() AND name IN ('traces', 'observations')`,
  )
  return Number(rows[0]?.n ?? 0) > 0
}

async function findingsOf(context: CommandContext): Promise<readonly Finding[]> {
  const placement = async () => (await context.migrations()).placement
  const { dataDirectory } = context
  const areas = [
    () => examine('data directory', 'Check SVC_DATA_DIR, and that its disk works.', () => examineDataDirectory(dataDirectory)),
    () =>
      examine('event log', 'Check SVC_KAFKA_BROKERS, and that the brokers run.', async () =>
        examineLog(await context.log(), context.writeMode),
      ),
    () =>
      examine('column store', 'Check COLUMNSTORE_URL, COLUMNSTORE_USER and COLUMNSTORE_PASSWORD, and that the server runs.', async () =>
        examineColumnStore(await context.columnStore(), { clustered: (await placement()).clustered, now: Date.now, dataDirectory }),
      ),
    () =>
      examine('relational store', 'Check DATABASE_URL, and that the server runs.', async () =>
        examineMigrations(await context.migrations(), context.relational),
      ),
    () =>
      examine('accounts', 'See the finding about the column store.', async () =>
        examineAccounts(await context.columnStore(), await context.log()),
      ),
    () => examine('canary', 'See the finding about the column store.', async () => examineCanary(await context.columnStore(), Date.now)),
    () =>
      examine('deletions', 'See the finding about the relational store.', async () =>
        examineDeletions(await context.relational(), Date.now),
      ),
    () =>
      examine('backfill', 'See the finding about the relational store.', async () =>
        examineBackfill(await context.relational(), await context.columnStore(), Date.now),
      ),
    () =>
      examine('certificate', 'Check the files that SVC_TLS_CERT_FILE and SVC_TLS_KEY_FILE name.', () =>
        examineCertificates(context.certificate ?? {}, Date.now()),
      ),
    () => examine('migration', 'See the finding about the column store.', async () => [phaseOf(context.writeMode, await oldRows(context))]),
  ]
  const findings: (readonly Finding[])[] = []
  for (const area of areas) findings.push(await area())
  return findings.flat()
}

const marks = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' } as const

export const command: Command = {
  help,
  async run(args, context) {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } })
    const findings = await findingsOf(context)
    const state = worst(findings)
    if (values.json) context.print(JSON.stringify({ state, findings }, null, 2))
    else {
      for (const { state, area, says, do: next } of findings) {
        context.print(`${marks[state]}  ${area}: ${says}`)
        if (next !== undefined) context.print(`         → ${next}`)
      }
    }
    const faults = findings.filter(each => each.state === 'fault')
    if (faults.length > 0) throw new AppError('not_well', counted(faults.length, 'fault'), { faults: faults.length })
  },
}
