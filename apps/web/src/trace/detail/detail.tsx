// Shows one observation completely.
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue } from 'react'
import { ErrorMark, Glyph } from '../../design/glyph.tsx'
import { Failed, Loading } from '../../design/states.tsx'
import { fieldChoices } from '../../filter/choices.ts'
import { Value } from '../../filter/value.tsx'
import { traceText } from '../../text/trace.ts'
import { cost, duration, everyForm, shortCount, timeOfDay } from '../../text/units.ts'
import { ContentField } from '../content/field.tsx'
import { type Detail, observationQuery, type TraceRef } from '../load.ts'
import { Comments } from './comments.tsx'
import css from './detail.module.css'
import { Explain } from './explain.tsx'
import { type Fact, Facts, Section } from './facts.tsx'
import { Leaves } from './leaves.tsx'
import { Scores } from './scores.tsx'
import { Tools } from './tools.tsx'
import { Usage } from './usage.tsx'

const { detail: text } = traceText

export function ObservationDetail({ traceRef, observationId }: { readonly traceRef: TraceRef; readonly observationId: string }) {
  const shown = useDeferredValue(observationId)
  const { data, error, refetch } = useQuery(observationQuery(traceRef, shown))
  if (error !== null) return <Failed error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading rows={8} label={text.title} />
  return <Whole traceRef={traceRef} of={data} isStale={shown !== observationId} />
}

function Whole({ traceRef, of, isStale }: { readonly traceRef: TraceRef; readonly of: Detail; readonly isStale: boolean }) {
  const name = of.name ?? of.type.toLowerCase()
  const common = { traceRef, observationId: of.id, name }
  return (
    <div className={css['detail']} data-stale={isStale ? '' : undefined}>
      <header className={css['head']}>
        <h2>
          <Glyph type={of.type} /> <bdi>{name}</bdi>
          {of.level === 'ERROR' && <ErrorMark label={traceText.error} />}
        </h2>
        <p className={css['facts']}>
          <span title={everyForm(of.startTime)}>{timeOfDay(of.startTime)}</span>
          <span>{of.endUs === null ? traceText.isRunning : duration((Number(of.endUs) - Number(of.startUs)) / 1000)}</span>
          {of.model !== null &&
            (traceRef.from !== 'project' ? (
              <bdi>{of.model}</bdi>
            ) : (
              <Value choices={fieldChoices('model', of.model)} title={text.model} value={of.model} />
            ))}
          {total(of) > 0 && <span>{cost(total(of))}</span>}
          {tokensOf(of) > 0 && (
            <span>
              {shortCount(tokensOf(of))} {traceText.tokens}
            </span>
          )}
          {of.level !== 'DEFAULT' && <span data-level={of.level}>{of.level.toLowerCase()}</span>}
          <code>{of.id}</code>
        </p>
      </header>
      {of.statusMessage !== null && (
        <Section title={text.message}>
          <p className={css['message']} data-level={of.level} dir="auto">
            {of.statusMessage}
          </p>
        </Section>
      )}
      <ContentField key={`i${of.id}`} {...common} field="input" title={text.input} text={of.input} length={of.inputLength} />
      <ContentField key={`o${of.id}`} {...common} field="output" title={text.output} text={of.output} length={of.outputLength} />
      {of.expectedOutput !== null && (
        <ContentField
          {...common}
          key={`e${of.id}`}
          field="expectedOutput"
          title={text.expected}
          text={of.expectedOutput}
          length={of.expectedOutput.length}
        />
      )}
      <Tools of={of} />
      {traceRef.from !== 'public' && <Scores project={traceRef.project} of={of} />}
      {traceRef.from === 'project' && <Comments project={traceRef.project} of={of} />}
      <Metadata {...common} of={of} />
      <Usage of={of} />
      <Facts title={text.parameters} facts={parametersOf(of.modelParameters)} />
      <Facts
        title={text.prompt}
        facts={[
          ['Name', of.promptName, traceRef.from !== 'project' ? undefined : 'promptName'],
          ['Version', of.promptVersion === null ? null : String(of.promptVersion)],
        ]}
      />
      <Facts title={text.source} facts={sourceOf(of, traceRef.from === 'project')} />
      {traceRef.from === 'project' && <Explain key={`x${of.id}`} project={traceRef.project} of={of} />}
    </div>
  )
}

const total = ({ costDetails }: Detail) => costDetails['total'] ?? 0
function tokensOf({ usageDetails }: Detail): number {
  return usageDetails['total'] ?? Object.values(usageDetails).reduce((sum, each) => sum + each, 0)
}

function parametersOf(parameters: unknown): readonly (readonly [string, string | null])[] {
  if (typeof parameters !== 'object' || parameters === null) return []
  return Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)])
}

const versioned = (name: string | null, version: string | null) => (name === null ? null : version === null ? name : `${name} ${version}`)

/** If `isFilter` is true, each value has a filter menu. */
const sourceOf = (of: Detail, isFilter: boolean): readonly Fact[] => [
  ['SDK', of.sdkName === 'unknown' ? null : versioned(of.sdkName, of.sdkVersion)],
  ['Telemetry', versioned(of.telemetryName, of.telemetryLanguage)],
  ['Scope', versioned(of.scopeName, of.scopeVersion)],
  ['Service', versioned(of.serviceName, of.serviceVersion)],
  ['Key', of.apiKey, isFilter ? 'ingestionApiKey' : undefined],
  ['Ingestion path', of.source || null],
  ['Stored file', of.blobStorageFilePath],
  ['Environment', of.environment, isFilter ? 'environment' : undefined],
  ['Release', of.release, isFilter ? 'release' : undefined],
  ['Version', of.version, isFilter ? 'version' : undefined],
  ['Experiment', of.experimentName ?? of.experimentId],
  ['Item', of.experimentItemId, isFilter ? 'experimentItemId' : undefined],
  ['Started', everyForm(of.startTime)],
  ['Accepted', everyForm(of.createdAt)],
]

function Metadata({
  of,
  ...common
}: {
  readonly of: Detail
  readonly traceRef: TraceRef
  readonly observationId: string
  readonly name: string
}) {
  if (of.metadata.length === 0) return null
  const more = of.metadataCount > of.metadata.length ? text.moreLeaves(of.metadata.length, of.metadataCount) : undefined
  return (
    <Section title={text.metadata} note={more}>
      <Leaves of={of} isFilter={common.traceRef.from === 'project'} />
      {of.metadata.some(({ text: value, length }) => length > value.length) && (
        <ContentField {...common} field="metadata" title={text.raw} text=" " length={Number.MAX_SAFE_INTEGER} />
      )}
    </Section>
  )
}
