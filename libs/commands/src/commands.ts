import type { Command } from './command.ts'

export interface ListedCommand {
  readonly name: string
  readonly summary: string
  /** True if the command uses only the operator's files and opens no store. */
  readonly isLocal?: true
  load(): Promise<{ readonly command: Command }>
}

export const commands: readonly ListedCommand[] = [
  { name: 'keys', summary: 'Create organizations, projects and key pairs', load: () => import('./commands/keys.ts') },
  { name: 'users', summary: 'Create users of the web app, and sign-in links', load: () => import('./commands/users.ts') },
  {
    name: 'doctor',
    summary: 'Diagnose stores, schemas, consumers and migration, and suggest what to do next',
    load: () => import('./commands/doctor.ts'),
  },
  { name: 'topics', summary: 'Show topics and the lag of each consumer group', load: () => import('./commands/topics.ts') },
  {
    name: 'check',
    summary: 'Prove that every acknowledged span is stored once or is a dead letter',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'delete',
    summary: 'Delete traces and projects, and deny their data that arrives later',
    load: () => import('./commands/delete.ts'),
  },
  { name: 'deletions', summary: 'Show deletions and their progress', load: () => import('./commands/deletions.ts') },
  {
    name: 'sdks',
    summary: 'Show which SDKs send data, and which must be upgraded',
    load: () => import('./commands/sdks.ts'),
  },
  {
    name: 'where',
    summary: 'Locate the spans of a trace, or the source of a stored observation',
    load: () => import('./commands/where.ts'),
  },
  {
    name: 'query',
    summary: 'Print observations and metrics through the API',
    isLocal: true,
    load: () => import('./commands/query.ts'),
  },
  { name: 'dead-letter', summary: 'List, show and purge dead letters', load: () => import('./commands/dead-letter.ts') },
  { name: 'log', summary: 'Inspect and skip damaged ranges of the embedded log', load: () => import('./commands/log.ts') },
  {
    name: 'migrate',
    summary: 'Show and change the schema versions of the stores',
    load: () => import('./commands/migrate.ts'),
  },
  {
    name: 'backfill',
    summary: 'Show, control and verify the migration of v3’s data',
    load: () => import('./commands/backfill.ts'),
  },
  {
    name: 'size',
    summary: 'Plan partitions, replicas, disk and nodes for a load',
    isLocal: true,
    load: () => import('./commands/size.ts'),
  },
  {
    name: 'explain',
    summary: 'Show how an OTLP payload becomes rows, with the rule behind each column',
    isLocal: true,
    load: () => import('./commands/explain.ts'),
  },
]
