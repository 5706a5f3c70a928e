import { WrongArgument } from '../../failure/own-error.ts'
import { FINISH_REMARKS, type Finish } from '../../failure/stream/finish.ts'
import { checkModelOptions, type ModelCallOptions } from '../model-options.ts'
import type { SchemaCheck } from './answer.ts'

/** Settings of a resilient language model. */
export interface ResilientOptions extends Omit<ModelCallOptions, 'finish' | 'finishOf'> {
  /**
   * Complete answers that the next model is asked to better: `filtered`, `empty`, `schema` (not the JSON that was asked for),
   * `length` (cut at its token limit). If none does better, the last is delivered, because it is paid for. Default: none.
   */
  failoverOn?: readonly Finish['as'][] | undefined
  /** Whether JSON fits its schema, for `schema`. Default: it is JSON, and an object has its required fields. */
  fits?: SchemaCheck | undefined
}

/**
 * Throws a WrongArgument unless these are options of a resilient model.
 * @param where the function that takes them
 * @param own what else it takes, and has checked
 */
export function checkResilientOptions(
  where: string,
  options: ResilientOptions,
  own: readonly string[] = [],
): void {
  checkModelOptions(where, options, ['failoverOn', 'fits', ...own])
  const { failoverOn = [], fits = () => true } = options
  if (!Array.isArray(failoverOn) || !failoverOn.every(one => FINISH_REMARKS.includes(one)))
    throw new WrongArgument(
      `${where}: failoverOn must be a list of ${FINISH_REMARKS.join(', ')}, not ${JSON.stringify(failoverOn)}`,
    )
  if (typeof fits !== 'function')
    throw new WrongArgument(`${where}: fits must be a function of the JSON and its schema`)
}
