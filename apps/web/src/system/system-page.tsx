// The page about the installation.
import { useQuery } from '@tanstack/react-query'
import { call, type ResultOf } from '../api/client.ts'
import { Page, Section } from '../design/page.tsx'
import { type PlainColumn, PlainTable } from '../design/plain-table.tsx'
import { placesText } from '../text/places.ts'
import { count, duration, everyForm, timeOfDay } from '../text/units.ts'
import { Migration } from './migration.tsx'
import { Sdks } from './sdks.tsx'
import css from './system.module.css'

type Status = ResultOf<'webSystem.status'>
type Path = Status['paths'][number]
type Backlog = NonNullable<Status['backlog']>[number]

const text = placesText.system

const backlogColumns: readonly PlainColumn<Backlog>[] = [
  { title: text.group, show: ({ group }) => group },
  { title: text.topic, show: ({ topic }) => topic },
  { title: text.records, isNumeric: true, show: ({ records }) => count(records) },
  { title: text.oldest, isNumeric: true, show: ({ oldestMs }) => duration(oldestMs) },
]

function unaccountedText(unaccounted: Status['unaccounted']): string {
  if (unaccounted === null) return text.unknown
  if (unaccounted.length === 0) return text.unaccountedNone
  return unaccounted.map(({ topic, items }) => text.unaccountedOf(count(items), topic)).join(', ')
}

export function SystemPage() {
  const { data, error, refetch } = useQuery({
    queryKey: ['system'],
    queryFn: ({ signal }) => call('webSystem.status', { signal }),
    refetchInterval: 5_000,
  })
  const behind = (until: string | null) =>
    until === null || data === undefined ? text.unknown : duration(Math.max(0, Date.parse(data.at) - Date.parse(until)))
  const columns: readonly PlainColumn<Path>[] = [
    { title: text.path, show: ({ path }) => text.paths[path] ?? path },
    {
      title: text.until,
      show: ({ completeUntil }) =>
        completeUntil === null ? text.unknown : <span title={everyForm(completeUntil)}>{timeOfDay(completeUntil)}</span>,
    },
    { title: text.behind, isNumeric: true, show: ({ completeUntil }) => behind(completeUntil) },
  ]
  return (
    <Page title={text.title} help={text.help}>
      {data && (
        <dl className={css['facts']}>
          <dt>{text.version}</dt>
          <dd>{data.version}</dd>
          <dt>{text.writeMode}</dt>
          <dd>{data.writeMode}</dd>
          <dt>{text.deadLetters}</dt>
          <dd title={text.deadLettersHelp}>{data.deadLetters === null ? text.unknown : count(data.deadLetters)}</dd>
          <dt>{text.unaccounted}</dt>
          <dd title={text.unaccountedHelp} data-warns={(data.unaccounted ?? []).length > 0}>
            {unaccountedText(data.unaccounted)}
          </dd>
        </dl>
      )}
      <Section title={text.freshness} help={text.freshnessHelp}>
        <PlainTable
          label={text.freshness}
          columns={columns}
          lines={data?.paths}
          keyOf={({ path }) => path}
          empty={text.unknown}
          error={error}
          onRetry={() => void refetch()}
        />
      </Section>
      <Section title={text.backlog} help={text.backlogHelp}>
        <PlainTable
          label={text.backlog}
          columns={backlogColumns}
          lines={data && (data.backlog ?? []).filter(({ records }) => records > 0)}
          keyOf={({ group, topic }) => `${group} ${topic}`}
          empty={data?.backlog === null ? text.unknown : text.noBacklog}
          isPart={true}
          error={error}
          onRetry={() => void refetch()}
        />
      </Section>
      <Migration />
      <Sdks />
    </Page>
  )
}
