// The page's range as it stands in the URL, fixed when the page is drawn first.
import { useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { rangeOrDefault, type TimeRange } from './range.ts'

export function useRange(): TimeRange {
  const { t } = useSearch({ strict: false })
  return useMemo(() => rangeOrDefault(t, Date.now()), [t])
}
