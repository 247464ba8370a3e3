// How a feature tells the dashboard something, typed from the contract.

import type { PushName, PushValue } from './contract/features.ts';

export type Push = <N extends PushName>(name: N, value: PushValue<N>) => void;
