/** A choice between a few values, all of them visible. */
export function Choice<T extends string | number>({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: T
  options: readonly (readonly [T, string])[]
  onChange: (value: T) => void
}) {
  return (
    <fieldset class="choice" aria-label={label}>
      {options.map(([each, words]) => (
        <button type="button" key={each} aria-pressed={each === value} onClick={() => onChange(each)}>
          {words}
        </button>
      ))}
    </fieldset>
  )
}
