// Shows usage and cost by kind of usage.
import { traceText } from '../../text/trace.ts'
import { cost, count } from '../../text/units.ts'
import type { Detail } from '../load.ts'
import css from './detail.module.css'
import { Section } from './facts.tsx'

export function Usage({ of: { usageDetails, costDetails, providedCostDetails, usagePricingTierName } }: { readonly of: Detail }) {
  const names = [...new Set([...Object.keys(usageDetails), ...Object.keys(costDetails)])].filter(name => name !== 'total').sort()
  if (names.length === 0 && costDetails['total'] === undefined) return null
  const isProvided = Object.keys(providedCostDetails).length > 0
  const row = (name: string) => (
    <tr key={name}>
      <th scope="row">{name}</th>
      <td>{usageDetails[name] === undefined ? '' : count(usageDetails[name])}</td>
      <td>{costDetails[name] === undefined ? '' : cost(costDetails[name])}</td>
    </tr>
  )
  const note =
    usagePricingTierName === null
      ? isProvided
        ? 'Costs as they were sent'
        : undefined
      : `${traceText.detail.tier}: ${usagePricingTierName}`
  return (
    <Section title={traceText.detail.usage} note={note}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">Part</th>
            <th scope="col">{traceText.columns.tokens}</th>
            <th scope="col">{traceText.columns.cost}</th>
          </tr>
        </thead>
        <tbody>
          {names.map(row)}
          {(usageDetails['total'] !== undefined || costDetails['total'] !== undefined) && row('total')}
        </tbody>
      </table>
    </Section>
  )
}
