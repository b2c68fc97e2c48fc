// The commands: a line each. What a command is made of is loaded when it is called.
import type { Command } from './command.ts'

export interface ListedCommand {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** Works on the operator's files alone: it runs in the operator's process, and no store is opened. */
  readonly isLocal?: true
  load(): Promise<{ readonly command: Command }>
}

export const commands: readonly ListedCommand[] = [
  { name: 'keys', summary: 'organisations, projects and their key pairs', load: () => import('./commands/keys.ts') },
  { name: 'users', summary: 'people of the web app, their roles and the links that sign in', load: () => import('./commands/users.ts') },
  {
    name: 'doctor',
    summary: 'what is wrong with stores, schemas, readers and accounts, and what to do next',
    load: () => import('./commands/doctor.ts'),
  },
  { name: 'topics', summary: 'what is on the log, and how far its readers are', load: () => import('./commands/topics.ts') },
  {
    name: 'check',
    summary: 'proves that every acknowledged span is stored once, or a dead letter',
    load: () => import('./commands/check.ts'),
  },
  {
    name: 'delete',
    summary: 'deletes traces and projects, with everything that comes of them later',
    load: () => import('./commands/delete.ts'),
  },
  { name: 'deletions', summary: 'what was deleted, and how far it is', load: () => import('./commands/deletions.ts') },
  {
    name: 'sdks',
    summary: 'which SDKs send, what becomes of it, and which have to move',
    load: () => import('./commands/sdks.ts'),
  },
  {
    name: 'where',
    summary: 'where the spans of a trace are, and where a stored observation came from',
    load: () => import('./commands/where.ts'),
  },
  {
    name: 'query',
    summary: 'observations and metrics of an installation, through its API',
    isLocal: true,
    load: () => import('./commands/query.ts'),
  },
  { name: 'dead-letter', summary: 'spans and records that could not be stored, and why', load: () => import('./commands/dead-letter.ts') },
  { name: 'log', summary: 'damage of the embedded log: what is lost, and going on behind it', load: () => import('./commands/log.ts') },
  {
    name: 'migrate',
    summary: 'the schemas of the stores: where they are, up, and back to v3',
    load: () => import('./commands/migrate.ts'),
  },
  {
    name: 'backfill',
    summary: 'what v3 has stored becoming events: how far it is, pause, resume, and the proof',
    load: () => import('./commands/backfill.ts'),
  },
  {
    name: 'size',
    summary: 'partitions, replicas, disk and nodes for so many spans a second, and where the design bends',
    isLocal: true,
    load: () => import('./commands/size.ts'),
  },
  {
    name: 'explain',
    summary: 'how an OTLP payload becomes rows: each column with its rule and attributes',
    isLocal: true,
    load: () => import('./commands/explain.ts'),
  },
]
