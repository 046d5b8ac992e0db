from quality import *
print('orig slide %.2f cm/s knee %.1f jerk %.1f'%(100*slide(clip),knees(clip),jerk(clip)))
for ex in (False,True):
    ts=[]
    for _ in range(5):
        t=time.perf_counter(); r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS,exact=ex); ts.append(time.perf_counter()-t)
    print(ex,'slide %.2f knee x%.2f jerk x%.2f'%(100*slide(r.clip),knees(r.clip)/knees(clip),jerk(r.clip)/jerk(clip)),'best %.3f'%min(ts))
    show(r)
    t=time.perf_counter(); rep=r.report; print(time.perf_counter()-t,str(rep)[-900:])
pin=c.pin('RightHand',hand+np.array([0,0,3.]),float(clip.times[f]))
ts=[]
for _ in range(3):
    r=A.adapt(clip,[*plants,pin],floor=True,joints=JOINTS); ts.append(r.seconds)
print('far',min(ts)); show(r); print(r.report); print(r.report.details['shares'][:4])
