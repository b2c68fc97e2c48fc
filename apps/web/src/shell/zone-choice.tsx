// Shows a field in which the user chooses the time zone: the browser's zone, UTC, or a named zone.
import { text } from '../text/strings.ts'
import { browserZone, setZone, useZone } from '../text/zone.ts'
import css from './zone-choice.module.css'

const browser = ''

export function ZoneChoice() {
  const zone = useZone()
  const names = Intl.supportedValuesOf('timeZone').filter(name => name !== 'UTC')
  return (
    <label className={css['choice']}>
      {text.shell.zone}
      <select className={css['select']} value={zone ?? browser} onChange={({ target }) => setZone(target.value || undefined)}>
        <option value={browser}>{text.shell.browserZone(browserZone())}</option>
        <option value="UTC">UTC</option>
        {/* A stored name can be an alias that the list of the browser does not have. */}
        {zone !== undefined && zone !== 'UTC' && !names.includes(zone) && <option value={zone}>{zone}</option>}
        {names.map(name => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}
